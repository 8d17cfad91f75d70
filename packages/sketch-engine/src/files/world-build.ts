/** How the bundler builds a script that draws in a sketch's realm. */
export const WORLD_BUILD = {
  // The engine's own `**` calls the pinned Math.pow, which these scripts take when they begin.
  supported: { 'exponent-operator': false },
  /**
   * Replacements for Skia's glue: a clock that reads 0, which is not used, and no FinalizationRegistry, which would not
   * work in an emptied realm.
   */
  define: { 'Date.now': 'Number', 'performance.now': 'Number', FinalizationRegistry: 'undefined' },
} as const;

/** Globals that the engine's own code takes before the sketch can replace them. */
const OWN_GLOBALS = [
  ...['Array', 'ArrayBuffer', 'DataView', 'Error', 'JSON', 'Map', 'Math', 'Number', 'Object', 'Promise', 'RangeError'],
  ...['Reflect', 'RegExp', 'Set', 'String', 'Symbol', 'SyntaxError', 'TypeError', 'WeakMap', 'BigInt', 'Boolean'],
  ...['Float32Array', 'Float64Array', 'Int8Array', 'Int16Array', 'Int32Array', 'Uint8Array', 'Uint8ClampedArray'],
  ...['Uint16Array', 'Uint32Array', 'isFinite', 'isNaN', 'parseFloat', 'parseInt'],
].join();

/** Wraps a bundled script, so that it keeps the globals it began with. */
export function withOwnGlobals(script: string): string {
  return `(()=>{'use strict';const {${OWN_GLOBALS}}=globalThis;\n${script}\n})()`;
}
