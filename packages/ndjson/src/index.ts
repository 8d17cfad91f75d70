export { byteLines, type ByteLine } from './byte-lines.js';
