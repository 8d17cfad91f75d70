/** Draws what it is given as text, so that any difference shows in the pixels. */
const SHOW = 'const show = (value) => { background(255); fill(0); textSize(40); text(String(value), 10, 100); };';
const drawn = (statements: string): string => `${SHOW} function setup() { ${statements} }`;
/** An iterator whose end runs `statements`: the language discards what they throw where the iteration ends by a throw. */
const ending = (statements: string): string =>
  `const list = { [Symbol.iterator]() { return this; }, next: () => ({ done: false, value: [1, 1] }), return() { ${statements} } };`;
const DOWN = 'let depth = 0; const down = (value) => { depth++; return value + down(value + 1); };';

/**
 * Sketches that end at a limit which is not the same in every run, of the stack or of memory, and then draw where it was:
 * none of them may have a picture.
 */
export const LIMITS: Readonly<Record<string, string>> = {
  'how deep a function calls itself': drawn(`${DOWN} try { down(1); } catch {} show(depth);`),
  'how deep a function calls itself in hot code': drawn(
    `${DOWN} const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2)); const all = []; for (let i = 0; i < 60; i++) { depth = 0; try { fib(9); down(i); } catch (error) {} all.push(depth); } show(all);`,
  ),
  'a recursion caught by a pattern': drawn(`${DOWN} try { down(1); } catch ({ message }) { show(depth); }`),
  'a recursion that a finally ends': drawn(`${DOWN} (() => { try { down(1); } finally { return; } })(); show(depth);`),
  'a recursion that every call ends by itself': drawn(
    'let depth = 0; const down = () => { depth++; try { down(); } finally { return; } }; down(); show(depth);',
  ),
  'a recursion in the end of a generator': drawn(
    `${DOWN} const steps = (function* () { try { yield 1; } finally { try { down(1); } finally { return; } } })(); for (const step of steps) break; show(depth);`,
  ),
  'a recursion in the end of a loop that throws': drawn(
    `${DOWN} ${ending('down(1);')} try { for (const one of list) throw 1; } catch {} show(depth);`,
  ),
  'a recursion in the end of a destructuring that throws': drawn(
    `${DOWN} ${ending('down(1);')} try { const [a = 1, b = 2, { c } = null] = [undefined, undefined]; } catch {} try { const [[a, b, c = (() => { throw 1; })()]] = list; const [{ x: [y] }] = list; } catch {} show(depth);`,
  ),
  'a recursion in the end of a list that is made of an iterator': drawn(
    `${DOWN} ${ending('down(1);')} try { Array.from(list, () => { throw 1; }); } catch {} show(depth);`,
  ),
  'a recursion in the end of an iterator of keys': drawn(
    `${DOWN} ${ending('down(1);')} class Keys extends Map { set() { throw 1; } } try { new Keys(list); } catch {} show(depth);`,
  ),
  'a recursion of the language itself that an iterator discards': drawn(
    `let depth = 0, deep = 1; for (let i = 0; i < 60000; i++) deep = { get deep() { depth++; return this.at; }, at: deep }; ${ending('')} list.return = JSON.stringify.bind(null, deep); try { for (const one of list) throw 1; } catch {} show(depth);`,
  ),
  'how many arguments the end of an iterator takes': drawn(
    `let count = 0; ${ending('for (count = 1e4; ; count += 20000) Math.max(...new Array(count).fill(1));')} try { for (const one of list) throw 1; } catch {} show(count);`,
  ),
  'how many buffers the end of an iterator gets': drawn(
    `const kept = []; ${ending('for (;;) kept.push(new Float64Array(2 ** 27));')} try { for (const one of list) throw 1; } catch {} show(kept.length);`,
  ),
  'how many graphics the end of an iterator gets': drawn(
    `const kept = []; ${ending('for (;;) kept.push(createGraphics(9000, 9000));')} try { for (const one of list) throw 1; } catch {} show(kept.length);`,
  ),
  'a recursion whose error cannot be described': drawn(
    `${DOWN} String.prototype.slice = String.prototype.replace = () => { throw 1; }; RegExp.prototype.exec = Set.prototype.has = () => false; try { try { down(1); } catch {} } catch {} show(depth);`,
  ),
  'how many arguments a call takes': drawn(
    'let count = 1e4; try { for (;; count += 20000) Math.max(...new Array(count).fill(1)); } catch {} show(count);',
  ),
  'how many arguments bind takes': drawn(
    'let count = 1e4; try { for (; count < 2e5; count += 1000) show.bind(...new Array(count).fill(1)); } catch {} show(count);',
  ),
  'how deep a list can be written': drawn(
    'let list = [], depth = 0; try { for (;; depth++) { list = [list]; if (depth % 5000 === 0) JSON.stringify(list); } } catch {} show(depth);',
  ),
  'how long a text can be': drawn("let text = 'x'; try { for (;;) text += text; } catch {} show(text.length);"),
  'how large a number can be': drawn('let bits = 1n; try { for (;; bits *= 2n) 1n << bits; } catch {} show(bits);'),
  'how many buffers there is memory for': drawn(
    'const kept = []; try { for (;;) kept.push(new Float64Array(2 ** 27)); } catch {} show(kept.length);',
  ),
  'how many graphics there is memory for': drawn(
    'const kept = []; try { for (;;) kept.push(createGraphics(9000, 9000)); } catch {} show(kept.length);',
  ),
};

/** Sketches that draw differences of engines, compilers and machines: one picture. */
export const PINNED: Readonly<Record<string, string>> = {
  'buffers that could grow': drawn(
    'let count = 0; const kept = []; try { for (; count < 3000; count++) { const buffer = new ArrayBuffer(1, { maxByteLength: 2 ** 33 }); kept.push(buffer); buffer.resize?.(2 ** 32); } } catch {} show(count + typeof kept[0].resize);',
  ),
  'the bits of NaN': drawn(
    'const floats = new Float64Array(1), words = new Uint32Array(floats.buffer), bits = new Set(); const divide = (a, b) => a / b; for (let i = 0; i < 2e4; i++) { for (const value of [divide(0, 0), NaN, -NaN, Math.sqrt(-1), Infinity - Infinity]) { floats[0] = value; bits.add(words[1].toString(16)); } } show([...bits]);',
  ),
  'the bits of NaN with other methods': drawn(
    'RegExp.prototype.exec = () => null; RegExp.prototype.test = () => false; const floats = new Float64Array(1), words = new Uint32Array(floats.buffer), bits = new Set(); const divide = (a, b) => a / b; for (let i = 0; i < 2000; i++) { for (const value of [divide(0, 0), NaN, -NaN]) { floats[0] = value; bits.add(words[1].toString(16)); } } show([...bits]);',
  ),
  'the bits of NaN in a view of data': drawn(
    'const view = new DataView(new ArrayBuffer(8)), bits = new Set(); for (let i = 0; i < 2e4; i++) { view.setFloat32(0, (i - i) / (i - i)); bits.add(view.getUint32(0)); } show([...bits]);',
  ),
  'an order that contradicts itself': drawn(
    'show(Array.from({ length: 60 }, (_, i) => i).sort(() => random() - 0.5));',
  ),
  'stack traces': drawn(
    "const deep = (n) => (n === 0 ? new Error('x') : deep(n - 1)); let all = ''; for (let i = 0; i < 500; i++) all = deep(i % 40).stack; show(JSON.stringify(all) + Object.getOwnPropertyNames(Error));",
  ),
  'weak references and shared memory': drawn(
    'show([typeof WeakRef, typeof FinalizationRegistry, typeof SharedArrayBuffer, typeof Atomics, typeof Promise]);',
  ),
  'the locale': drawn(
    "show([(1234567.891).toLocaleString(), 'a'.localeCompare('B'), new Date(0).toLocaleDateString()]);",
  ),
  'memory that is collected': drawn(
    'const map = new WeakMap(); let last; for (let i = 0; i < 3e5; i++) { last = { i }; map.set(last, new Array(8)); } for (let i = 0; i < 40; i++) createGraphics(900, 900).background(i); show(map.has(last));',
  ),
  'the text of functions': drawn('show([String(Math.sin), String([].push), String(setup).length]);'),
  'chaos in hot code': drawn(
    'let x = 0.3, y = 0.7; for (let i = 0; i < 3e6; i++) [x, y] = [Math.sin(2.01 * y) - Math.cos(-2.53 * x), Math.sin(1.61 * x) ** 3 - Math.cos(-0.33 * y)]; show([x, y]);',
  ),
};
