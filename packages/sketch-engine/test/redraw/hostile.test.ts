import { describe, expect, it } from '@jest/globals';
import { drawAgain } from './draw-again.js';

/** Expressions whose value would be something of Node.js. */
const ESCAPES: Readonly<Record<string, string>> = {
  'the constructor of the global object': "globalThis.constructor.constructor('return process')()",
  'the constructor that the global name lookup finds': "constructor.constructor('return process')()",
  'the `this` of a function': "(function () { return this; })().constructor.constructor('return process')()",
  eval: "eval('process')",
  'a caller of a function': '(function f() { return f.caller.caller; })()',
  'the arguments of a caller': '(function f() { return f.caller.arguments.callee.caller; })()',
  'names of Node.js':
    "['process', 'require', 'module', 'Buffer', 'fetch', 'setTimeout', 'queueMicrotask', 'WebAssembly', 'SharedArrayBuffer', 'Atomics', 'openSketchRealm'].find((name) => name in globalThis)",
  'frames of a stack trace':
    '(() => { let seen; Error.prepareStackTrace = (error, frames) => { seen = frames; }; void new Error().stack; return seen; })()',
  'the classes of pictures and colours':
    "[createImage(1, 1), createGraphics(1, 1), color(1)].map(({ constructor }) => constructor.constructor('return process')())[0]",
  'a setter of the prototype of pictures':
    "(() => { let seen; Object.defineProperty(p5.Image.prototype, 'get', { set(value) { seen = value; } }); createImage(1, 1).resize(2, 2); return seen; })()",
  'the error of a drawing function':
    "(() => { try { drawingContext.drawImage(1); } catch (e) { return e instanceof TypeError ? 0 : e.constructor.constructor('return process')(); } })()",
};

describe('A sketch in a realm without Node.js', () => {
  it.each(Object.entries(ESCAPES))('reaches nothing through %s', async (_name, expression) => {
    const code = `function setup() { let found; try { found = ${expression}; } catch {} if (found) throw new Error('out'); }`;
    expect(await drawAgain(code)).toEqual(expect.objectContaining({ kind: 'picture' }));
  });

  it('fails where its stack ends, whatever it catches', async () => {
    const code =
      'function setup() { let depth = 0; const down = () => { depth++; down(); }; try { down(); } catch {} circle(depth, 9, 9); }';
    expect(await drawAgain(code)).toEqual({
      kind: 'fault',
      fault: {
        code: 'RENDER_ERROR',
        message: expect.stringMatching(/^RangeError: Maximum call stack size exceeded/),
        line: 1,
      },
    });
  });

  it('is never asynchronous', async () => {
    const fault = { code: 'PROTOCOL_VIOLATION', message: expect.stringContaining('cannot be async'), line: 2 };
    expect(await drawAgain('function setup() {}\n(async () => {})();')).toEqual({ kind: 'fault', fault });
  });

  it('is refused for import()', async () => {
    const fault = { code: 'PROTOCOL_VIOLATION', message: 'a sketch cannot import or go to an address' };
    expect(await drawAgain("function setup() { import('node:fs'); }")).toEqual({ kind: 'fault', fault });
  });

  it('shows control and directional characters by number', async () => {
    expect(await drawAgain("function setup() { throw new Error('\\x1b[2J\\u202e'); }")).toMatchObject({
      fault: { message: 'Error: \\u{1b}[2J\\u{202e}' },
    });
  });

  it('gets its own error with its line', async () => {
    expect(await drawAgain("function setup() {\n  throw new Error('mine');\n}")).toEqual({
      kind: 'fault',
      fault: { code: 'RENDER_ERROR', message: 'Error: mine', line: 2 },
    });
    expect(await drawAgain('function setup( {')).toEqual({
      kind: 'fault',
      fault: { code: 'RENDER_ERROR', message: expect.stringMatching(/^SyntaxError: /), line: 1 },
    });
  });

  it.each([
    ['an endless loop', 'function setup() { for (;;); }'],
    [
      'a getter of an answer',
      "Object.prototype.__defineGetter__ && Object.defineProperty(globalThis, 'draw', { get() { for (;;); } });",
    ],
  ])('is ended at its time limit: %s', async (_name, code) => {
    expect(await drawAgain(code, { limits: { timeMs: 4000, memoryBytes: 2 ** 31 } })).toEqual({
      kind: 'ended',
      by: 'time',
    });
  });

  it.each([
    ['in its heap', 'function setup() { const a = []; for (;;) a.push(new Array(1000).fill(1.5)); }'],
    ['outside its heap', 'const kept = []; function setup() { for (;;) kept.push(new Uint8Array(16e6).fill(7)); }'],
  ])('is ended at its memory limit: %s', async (_name, code) => {
    const limits = { timeMs: 60_000, memoryBytes: 900 * 2 ** 20 };
    expect(await drawAgain(code, { limits })).toEqual({ kind: 'ended', by: 'memory' });
  });
});
