/** Reads byte streams while they arrive, in memory bounded by their bytes: lines of bounded length, whole bodies. */
export { byteLines, type ByteLine } from './byte-lines.js';
export { ByteParts, joinBytes } from './byte-parts.js';
export { readBounded } from './read-bounded.js';
