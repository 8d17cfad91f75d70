// Sketches of one colour, whose pixels follow from the text of the specification: a sketch that finds a rule broken
// draws another colour, and a sketch that must not be drawn is refused.
import { createHash } from 'node:crypto';

const PIXELS = 1950 * 2400;
const CHUNK_BYTES = 512 * 1024;
const sha256 = (bytes) => createHash('sha256').update(bytes).digest();
const written = (digest) => `sha256:${digest.toString('hex')}`;
const filled = (grey) => Buffer.alloc(PIXELS * 4, Buffer.of(grey, grey, grey, 255));
const greys = new Map();

function pixelHash(grey) {
  if (!greys.has(grey)) greys.set(grey, written(sha256(filled(grey))));
  return greys.get(grey);
}

function frameHash(grey) {
  const pixels = filled(grey);
  const chunks = [];
  for (let at = 0; at < pixels.length; at += CHUNK_BYTES) chunks.push(sha256(pixels.subarray(at, at + CHUNK_BYTES)));
  return sha256(Buffer.concat(chunks));
}

/** The generator of "Seeds". */
function mulberry32(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const numberOf = (seed) => [...seed].reduce((sum, unit) => (Math.imul(sum, 31) + unit.charCodeAt(0)) >>> 0, 0);
const firstOf = (seed, count) => {
  const next = mulberry32(numberOf(seed));
  return Array.from({ length: count }, next);
};

/** Grey 7 where every condition holds, and 200 where one does not. */
const holds = (...conditions) => `function setup() { background(${conditions.join(' && ')} ? 7 : 200); }`;
const isSeeded = (seed) =>
  holds(...firstOf(seed, 3).map((value) => `random() === ${value}`), 'noise(0.5) >= 0', 'noise(0.5) <= 1');

const SEEDS = [
  ['seed-default', 'default'],
  ['seed-of-zero', ''],
  ['seed-of-one', '\u0001'],
  ['seed-text', 'my-seed'],
  ['seed-long', 'a seed of more than thirty-two bits'],
];

/** [id, heading, rule, code, expected grey, more of the case] */
const DRAWN = [
  ['background', 'Rendering', 'pixelHash is over the raw RGBA.', 'function setup() { background(40); }', 40],
  [
    'setup-then-draw',
    'Rendering',
    'A still runs setup(), then draw() once.',
    'let n = 0; function setup() { background(1); } function draw() { n += 1; background(20 + n); }',
    21,
  ],
  [
    'vars',
    'Rendering',
    'VAR has ten numbers, missing ones are 0.',
    holds('VAR.length === 10', 'VAR[0] === 12.5', 'VAR[9] === 0'),
    7,
    { VAR: [12.5] },
  ],
  [
    'canvas',
    'Rendering',
    'createCanvas(1950, 2400) does nothing.',
    'function setup() { createCanvas(1950, 2400); background(9); }',
    9,
  ],
  [
    'no-input',
    'Rendering',
    'Input never comes.',
    `function mousePressed() { background(200); } ${holds('mouseX === 0', 'keyCode === 0', 'keyIsDown(65) === false')}`,
    7,
  ],
  [
    'store',
    'Rendering',
    'storeItem and getItem keep values for one run.',
    holds('(storeItem("a", 3), getItem("a") === 3)'),
    7,
  ],
  ...SEEDS.map(([id, seed]) => [
    id,
    'Seeds',
    'random() is Mulberry32 over the number of the seed.',
    isSeeded(seed),
    7,
    { seed },
  ]),
  [
    'no-clocks',
    'The language of sketches',
    'There are no clocks and promises.',
    holds(
      "typeof Promise === 'undefined'",
      "typeof setTimeout === 'undefined'",
      "typeof performance === 'undefined'",
      "typeof SharedArrayBuffer === 'undefined'",
      "typeof WeakRef === 'undefined'",
    ),
    7,
  ],
  [
    'stable-sort',
    'The language of sketches',
    'sort and toSorted are merge sorts.',
    holds(
      "[[2, 'a'], [1, 'b'], [2, 'c'], [1, 'd']].toSorted((x, y) => x[0] - y[0]).map((x) => x[1]).join('') === 'bdac'",
    ),
    7,
  ],
  [
    'nan',
    'The language of sketches',
    'A NaN that is read as integers has one form.',
    holds(
      'new Uint32Array(new Float32Array([NaN]).buffer)[0] === 0x7fc00000',
      'new Uint32Array(new Float32Array([-NaN]).buffer)[0] === 0x7fc00000',
    ),
    7,
  ],
  ['stack', 'The language of sketches', 'stack of an error is empty.', holds("new Error('a').stack === ''"), 7],
  [
    'locales',
    'The language of sketches',
    'Nothing follows a locale.',
    holds(
      "(1234.5).toLocaleString() === '1234.5'",
      "'ä'.localeCompare('z') === 1",
      "'i'.toLocaleUpperCase('tr') === 'I'",
    ),
    7,
  ],
  [
    'no-newer-members',
    'The language of sketches',
    'Builtin objects have no newer members.',
    holds('Object.groupBy === undefined', 'Set.prototype.union === undefined', 'Array.fromAsync === undefined'),
    7,
  ],
  [
    'no-legacy-regexp',
    'The language of sketches',
    'There are no legacy members of RegExp.',
    holds("(/(a)/.exec('a'), RegExp.$1 === undefined)"),
    7,
  ],
  [
    'no-path2d',
    'Engines',
    'With portable there are no Path2D and DOMMatrix.',
    holds("typeof Path2D === 'undefined'", "typeof DOMMatrix === 'undefined'"),
    7,
  ],
];

/** [id, heading, rule, code, code of the refusal] */
const REFUSED = [
  [
    'other-canvas',
    'Rendering',
    'Any other size is a violation.',
    'function setup() { createCanvas(100, 100); }',
    'PROTOCOL_VIOLATION',
  ],
  [
    'async',
    'Rendering',
    'An async function is a violation.',
    'async function later() {} function setup() { background(1); }',
    'PROTOCOL_VIOLATION',
  ],
  [
    'import',
    'Rendering',
    'A sketch that calls import() is a violation.',
    "function setup() { import('a'); }",
    'PROTOCOL_VIOLATION',
  ],
  [
    'import-in-comment',
    'Rendering',
    'Also in a comment.',
    "// import('a')\nfunction setup() { background(1); }",
    'PROTOCOL_VIOLATION',
  ],
  [
    'newer-syntax',
    'The language of sketches',
    'Newer syntax does not parse.',
    'function setup() { background(/[a--b]/v.source.length); }',
    'RENDER_ERROR',
  ],
  [
    'recursion',
    'The language of sketches',
    'The end of the stack ends a sketch, also where it catches the error.',
    'function deep() { return deep() + 1; } function setup() { try { deep(); } catch {} background(1); }',
    'RENDER_ERROR',
  ],
  [
    'long-text',
    'The language of sketches',
    'So does the length of a text.',
    "function setup() { try { 'a'.repeat(2 ** 30); } catch {} background(1); }",
    'RENDER_ERROR',
  ],
  [
    'thrown',
    'Rendering',
    'A sketch that throws is not drawn.',
    "function setup() { throw new Error('a'); }",
    'RENDER_ERROR',
  ],
];

function caseOf(id, heading, rule, code, expected, more = {}) {
  const file = { code, seed: 'default', VAR: [], totalFrames: 1, fps: 30, ...more };
  return { id: `render/${id}`, heading, rule, command: 'render', file, expected };
}

export function renderCases() {
  return [
    ...DRAWN.map(([id, heading, rule, code, grey, more]) =>
      caseOf(id, heading, rule, code, { pixelHash: pixelHash(grey) }, more),
    ),
    caseOf(
      'loop',
      'Rendering',
      'In loops t is i/N; animationHash is over the hashes of the frames.',
      'function draw() { background(t * 100); }',
      { animationHash: written(sha256(Buffer.concat([0, 25, 50, 75].map(frameHash)))) },
      { totalFrames: 4 },
    ),
    caseOf(
      'loop-time',
      'Rendering',
      'In loops time is i/fps.',
      'function draw() { background(time * 100); }',
      { animationHash: written(sha256(Buffer.concat([0, 10, 20].map(frameHash)))) },
      { totalFrames: 3, fps: 10 },
    ),
    ...REFUSED.map(([id, heading, rule, code, refused]) => caseOf(`${id}_fail`, heading, rule, code, { refused })),
  ];
}
