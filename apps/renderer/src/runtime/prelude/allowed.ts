/**
 * Everything of the page that a sketch keeps. Whatever is not named here is deleted before the sketch runs, so a new
 * browser version cannot add a clock, a random source or a way out.
 */
const LANGUAGE = [
  'AggregateError',
  'Array',
  'ArrayBuffer',
  'BigInt',
  'BigInt64Array',
  'BigUint64Array',
  'Boolean',
  'DataView',
  'Date',
  'Error',
  'EvalError',
  'Float16Array',
  'Float32Array',
  'Float64Array',
  'Infinity',
  'Int16Array',
  'Int32Array',
  'Int8Array',
  'Iterator',
  'JSON',
  'Map',
  'Math',
  'NaN',
  'Number',
  'Object',
  'Promise',
  'Proxy',
  'RangeError',
  'ReferenceError',
  'Reflect',
  'RegExp',
  'Set',
  'String',
  'Symbol',
  'SyntaxError',
  'TypeError',
  'URIError',
  'Uint16Array',
  'Uint32Array',
  'Uint8Array',
  'Uint8ClampedArray',
  'WeakMap',
  'WeakSet',
  'decodeURI',
  'decodeURIComponent',
  'encodeURI',
  'encodeURIComponent',
  'escape',
  'globalThis',
  'isFinite',
  'isNaN',
  'parseFloat',
  'parseInt',
  'undefined',
  'unescape',
];

/** Drawing, and the objects it hands out. */
const CANVAS = [
  'CanvasGradient',
  'CanvasPattern',
  'CanvasRenderingContext2D',
  'DOMMatrix',
  'DOMMatrixReadOnly',
  'DOMPoint',
  'DOMPointReadOnly',
  'DOMRect',
  'DOMRectReadOnly',
  'ImageData',
  'Path2D',
  'TextMetrics',
];

/** Ours, in place of the page's. */
const REPLACED = ['console'];

export const ALLOWED_GLOBALS: ReadonlySet<string> = new Set([...LANGUAGE, ...CANVAS, ...REPLACED]);

/** Interfaces whose prototypes stay whole; every other one that the page has is emptied. */
export const KEPT_INTERFACES: ReadonlySet<string> = new Set([...LANGUAGE, ...CANVAS]);
