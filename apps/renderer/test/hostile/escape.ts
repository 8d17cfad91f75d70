import { byText, each, ESCAPED, type Family } from './family.js';

/** Expressions that should not yield a realm with more than the sketch's. */
const ROUTES: readonly string[] = [
  'globalThis',
  'this',
  '(function () { return this; })()',
  '(() => { "use strict"; return (function () { return this; }).call(undefined); })()',
  '(function () {}).constructor("return this")()',
  'setup.constructor("return this")()',
  '(async () => {}).constructor("return this")()',
  '(function* () {}).constructor("return this")().next().value',
  '(async function* () {}).constructor("return this")',
  'circle.constructor("return this")()',
  'Math.sin.constructor("return globalThis")()',
  '[].constructor.constructor("return this")()',
  '"".sub.constructor("return this")()',
  'Reflect.construct(Function, ["return this"])()',
  'Reflect.get(setup, "constructor")("return this")()',
  'Object.getPrototypeOf(setup).constructor("return this")()',
  'Object.getPrototypeOf(async () => {}).constructor("return this")()',
  'eval("this")',
  '(0, eval)("globalThis")',
  'new Function("return this")()',
  'drawingContext.canvas.ownerDocument.defaultView',
  'drawingContext.constructor.constructor("return this")()',
  'Object.getPrototypeOf(drawingContext).constructor.constructor("return this")()',
  'createGraphics(1, 1).constructor.constructor("return this")()',
  'createGraphics(1, 1).canvas.ownerDocument.defaultView',
  'window',
  'self',
  'frames',
  'parent',
  'top',
  'opener',
  'document.defaultView',
  'document.createElement("iframe").contentWindow',
  'arguments.callee.caller',
  'new Error().stack.constructor.constructor("return this")()',
  'Error.prepareStackTrace = (e, frames) => frames[0].getThis()',
  '(() => { try { null.f(); } catch (e) { return e.constructor.constructor("return this")(); } })()',
  '(() => { try { circle(Symbol()); } catch (e) { return e.constructor.constructor("return this")(); } })()',
  'new Proxy(Function, {}).call(null, "return this")()',
  'Symbol.prototype.constructor.constructor("return this")()',
  'process',
  'require("child_process")',
  'module.constructor._load("fs")',
  'Deno',
  'chrome.runtime',
  'reader',
  '__proto__.constructor.constructor("return this")()',
  'globalThis.__proto__.__proto__.constructor.constructor("return this")()',
];

/** Objects that a sketch must not reach in a realm; `document` and `navigator` themselves stay, without members. */
const FORBIDDEN: readonly string[] = [
  ...[
    'fetch',
    'XMLHttpRequest',
    'WebSocket',
    'Worker',
    'RTCPeerConnection',
    'WebAssembly',
    'indexedDB',
    'localStorage',
  ],
  ...['process', 'require', 'document.createElement', 'document.defaultView', 'document.cookie', 'document.body'],
  ...['navigator.sendBeacon', 'navigator.hardwareConcurrency', 'crypto.subtle', 'performance.now'],
];

/** Throws when a realm has one of these objects. */
const PROBE = (route: string): string => `function setup() {
  let realm;
  try { realm = ${route}; } catch {}
  for (const path of ${JSON.stringify(FORBIDDEN)}) {
    let found = realm;
    try { for (const name of path.split('.')) found = found[name]; } catch { found = undefined; }
    if (found !== undefined && found !== null) throw new Error('${ESCAPED} by ' + path);
  }
  background(7);
}`;

/** Ways to another realm, or to objects removed from this one. */
export const ESCAPE: Family = {
  name: 'escape',
  short: 'setup.constructor("return this")()',
  sketches: () => each(byText(ROUTES), 'same', PROBE),
};
