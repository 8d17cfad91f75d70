import { each, type Family } from './family.js';

const NUMBERS = ['NaN', 'Infinity', '-1e308', '2 ** 53'];
const CALLS: Readonly<Record<string, string>> = {
  circle: 'circle(N, N, N)',
  ellipse: 'ellipse(N, N, N, N)',
  rect: 'rect(N, N, N, N)',
  arc: 'arc(N, N, N, N, N, N)',
  bezier: 'bezier(N, N, N, N, N, N, N, N)',
  'stroke and line': 'strokeWeight(N); line(N, N, N, N)',
  transforms: 'translate(N, N); scale(N); rotate(N); shearX(N); circle(0, 0, 5)',
  text: "textSize(N); text('x', N, N, N, N)",
  colours: 'fill(N, N, N, N); stroke(N); background(N)',
  pixels: 'set(N, N, N); get(N, N, N, N)',
  graphics: 'createGraphics(N, N)',
};

const SINGLE: Readonly<Record<string, string>> = {
  'a canvas of another size': 'resizeCanvas(1e9, 1e9)',
  'an unbalanced stack': 'for (let i = 0; i < 1e4; i++) pop();',
  'a path of many points': 'beginShape(); for (let i = 0; i < 3e5; i++) vertex(i % 1950, i % 2400); endShape();',
  'nested shapes': 'for (let i = 0; i < 1e4; i++) beginShape(); endShape();',
  'every blend mode name':
    "for (const m of ['x', '', '__proto__', 'constructor', null, {}]) { try { blendMode(m); } catch {} }",
  'a very long text': "text('x'.repeat(1e6), 0, 100);",
  'characters of every plane':
    "text(Array.from({ length: 2000 }, (_, i) => String.fromCodePoint(i * 500)).join(''), 0, 99);",
  'lone surrogates': "text('\\ud800\\udfff\\udc00', 10, 99);",
  'bidirectional controls': "text('\\u202e\\u2066\\u2067'.repeat(5000) + 'x', 10, 99);",
  'combining marks': "text('a' + '\\u0301'.repeat(1e5), 10, 99);",
  'a pattern of an empty surface': 'image(createGraphics(1, 1), 0, 0, 0, 0);',
  'an image of itself': 'image(get(), 0, 0); image(createGraphics(10, 10), NaN, NaN, Infinity, -1);',
  'arguments of every kind':
    'for (const x of [null, undefined, {}, [], "", Symbol, () => 1, 1n]) { try { circle(x, x, x); fill(x); text(x, x, x); } catch {} }',
  'a thrown nothing': 'throw undefined;',
  'a thrown proxy': 'throw new Proxy({}, { get() { throw 1; }, getPrototypeOf() { throw 2; } });',
  'an error without an end': 'const e = new Error("x".repeat(5e7)); throw e;',
  'an error that causes itself': 'const e = new Error("x"); e.cause = e; throw e;',
  'deep recursion': 'const f = () => f(); f();',
  'deep source': `const x = ${'('.repeat(2000)}1${')'.repeat(2000)};`,
  'a changed drawing context': 'for (const k in drawingContext) { try { drawingContext[k] = null; } catch {} }',
};

const ofNumbers = Object.entries(CALLS).flatMap(([name, call]) =>
  NUMBERS.map((number) => [`${name} with ${number}`, call.replaceAll(/\bN\b/g, number)] as const),
);

/** Uses that native code may not survive; the browser and all other pages do. */
export const CRASH: Family = {
  name: 'crash',
  short: 'arguments of every kind',
  sketches: () =>
    each(
      { ...Object.fromEntries(ofNumbers), ...SINGLE },
      'same',
      (use) => `function setup() { background(200); ${use} }`,
    ),
};
