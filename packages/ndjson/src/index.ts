/** Splits a byte stream into lines of bounded length while it arrives. */
export { byteLines, type ByteLine } from './byte-lines.js';
