import { each, type Family } from './family.js';

const BOMBS: Readonly<Record<string, string>> = {
  arrays: 'kept.push(new Array(1000).fill(1.5))',
  'byte buffers': 'kept.push(new Uint8Array(16e6).fill(7))',
  'array buffers': 'kept.push(new ArrayBuffer(64e6))',
  'resizable buffers': 'kept.push(new ArrayBuffer(8, { maxByteLength: 2 ** 30 })); kept.at(-1).resize(2 ** 30)',
  floats: 'kept.push(new Float64Array(4e6).fill(0.5))',
  strings: "kept.push(('x' + kept.length).repeat(1e6))",
  'flattened strings': "let s = 'ab'; for (let i = 0; i < 24; i++) s += s; kept.push(s.split(''))",
  maps: 'const m = new Map(); for (let i = 0; i < 1e5; i++) m.set(i, {}); kept.push(m)',
  sets: 'kept.push(new Set(Array.from({ length: 1e5 }, () => ({}))))',
  closures: 'for (let i = 0; i < 1e5; i++) kept.push(() => kept[i])',
  objects: 'kept.push(Object.fromEntries(Array.from({ length: 1e4 }, (_, i) => ["k" + kept.length + i, i])))',
  symbols: 'for (let i = 0; i < 1e5; i++) kept.push(Symbol("x".repeat(100)))',
  'big integers': 'kept.push(2n ** 8000000n)',
  'sparse arrays': 'const a = []; a[2 ** 31] = 1; kept.push(a.concat(a, kept))',
  'array methods': 'kept.push(Array(3e7).fill(0).map((_, i) => [i]))',
  spread: 'kept.push([...kept, ...kept, 1])',
  'JSON text': 'kept.push(JSON.stringify(kept) + kept.length)',
  'regular expression matches': "kept.push('a'.repeat(1e6).match(/a/g))",
  'graphics surfaces': 'const g = createGraphics(8000, 8000); g.background(kept.length); kept.push(g)',
  images: 'const i = createImage(8000, 8000); i.loadPixels(); kept.push(i)',
  'copied pixels': 'kept.push(get())',
  'shape points': 'beginShape(); for (let i = 0; i < 1e6; i++) vertex(i, i); kept.push(1)',
  'a stack of states': 'for (let i = 0; i < 1e5; i++) push(); kept.push(1)',
  proxies: 'kept.push(new Proxy(new Array(1e5).fill({}), {}))',
  'typed copies': 'kept.push(Float32Array.from({ length: 4e6 }, (_, i) => i))',
};

/** Growth without end, inside the heap and outside it. */
export const MEMORY: Family = {
  name: 'memory',
  short: 'byte buffers',
  sketches: () => each(BOMBS, 'bounded', (use) => `const kept = []; function setup() { for (;;) { ${use}; } }`),
};

const HANGS: Readonly<Record<string, string>> = {
  while: 'while (true) {}',
  'do while': 'do {} while (1)',
  'a labelled loop': 'outer: for (;;) { for (;;) continue outer; }',
  'caught ends': 'for (;;) { try { for (;;) {} } catch {} finally { continue; } }',
  'a generator': 'function* g() { for (;;) yield 1; } for (const x of g()) {}',
  'an iterator': 'const it = { [Symbol.iterator]() { return { next: () => ({ done: false }) }; } }; [...it].length',
  'a getter': '({ get x() { for (;;); } }).x',
  'a text': 'String({ toString() { for (;;); } })',
  'a value': '+{ valueOf() { for (;;); } }',
  'a proxy': 'new Proxy({}, { get() { for (;;); } }).x',
  'a comparator': 'const a = Array.from({ length: 1e6 }, (_, i) => i); for (;;) a.sort(() => random() - 0.5)',
  'a replacer': "for (;;) 'aaaa'.replace(/a/g, () => 'b')",
  'a reviver': "for (;;) JSON.parse('[1,2,3]', (k, v) => v)",
  backtracking: "/^(a+)+$/.test('a'.repeat(60) + 'b')",
  'nested backtracking': "/(x+x+)+y/.exec('x'.repeat(60))",
  'a lookahead': "/^(?=(a+)+b)/.test('a'.repeat(60))",
  'deep recursion again and again': 'const f = (n) => { try { f(n + 1); } finally { f(n + 1); } }; f(0)',
  'a power of big integers': 'for (let i = 3n; ; i *= i) { if (i > 2n ** 20000n) i = 3n; }',
  'a slow conversion': '(7n ** 3000000n).toString()',
  'an array search': 'const a = new Array(1e7).fill(0); for (;;) a.indexOf(1)',
  'a fill flood': 'for (;;) { fill(random(255)); rect(0, 0, width, height); }',
  'a text flood': "for (;;) text('x'.repeat(1000), random(width), random(height))",
  'a pixel flood': 'for (;;) { loadPixels(); updatePixels(); }',
  'raster alone':
    'noFill(); strokeWeight(30); stroke(0, 9); for (let i = 0; i < 400000; i++) bezier(random(width), random(height), random(width), random(height), random(width), random(height), random(width), random(height))',
  noise: 'for (;;) noise(random(1000))',
};

/** Work without end, in the language, in native code and in drawing. */
export const TIME: Family = {
  name: 'time',
  short: 'caught ends',
  sketches: () =>
    each(HANGS, 'timeout', (use) => `function setup() { ${use}; }`).map((sketch) =>
      // Slow where the engine is slow; it may end by itself or run out of memory.
      ['a slow conversion', 'an iterator', 'a lookahead', 'nested backtracking', 'a power of big integers'].includes(
        sketch.name,
      )
        ? { ...sketch, ending: 'bounded' }
        : sketch,
    ),
};
