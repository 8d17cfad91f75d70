/** Sketches that never end by themselves, or only long after every deadline. */
export const HANGS: Readonly<Record<string, string>> = {
  'an endless loop': 'function setup() { while (true) {} }',
  'an endless loop that catches its end':
    'function setup() { for (;;) { try { for (;;) {} } catch {} finally { continue; } } }',
  'a hang at the top level': 'while (true) {}',
  'a regular expression that backtracks': "function setup() { /^(a+)+$/.test('a'.repeat(60) + 'b'); }",
  'a comparator that sorts forever':
    'function setup() { const a = Array.from({ length: 1e6 }, (_, i) => i); for (;;) a.sort(() => random() - 0.5); }',
  'a fill flood': 'function setup() { for (;;) { fill(random(255)); rect(0, 0, width, height); } }',
  'shapes whose cost is in the raster alone':
    'function setup() { noFill(); strokeWeight(30); stroke(0, 9); for (let i = 0; i < 400000; i++) bezier(random(width), random(height), random(width), random(height), random(width), random(height), random(width), random(height)); }',
  'a thrown value whose text never ends': 'function setup() { throw { toString() { for (;;); } }; }',
  'a getter that hangs the probe':
    "Object.defineProperty(globalThis, 'draw', { get() { for (;;); } }); function setup() {}",
};

/** Sketches that may end either way: out of memory, or so slow at its edge that their time runs out. */
export const EITHER_END: Readonly<Record<string, string>> = {
  'a text that grows':
    "let text = 'x'; const kept = []; function setup() { for (;;) kept.push((text + kept.length).repeat(1e6)); }",
};

/** A sketch that writes to the console without end. */
export const CONSOLE_FLOOD =
  "function setup() { const line = 'x'.repeat(1e5); for (let i = 0; i < 2000; i++) console.log(line); circle(900, 900, 100); }";

/** Sketches that take memory, inside V8's heap and outside it. */
export const MEMORY_BOMBS: Readonly<Record<string, string>> = {
  'an array that grows': 'function setup() { const a = []; for (;;) a.push(new Array(1000).fill(1.5)); }',
  'buffers outside the heap': 'const kept = []; function setup() { for (;;) kept.push(new Uint8Array(16e6).fill(7)); }',
  'graphics surfaces':
    'const kept = []; function setup() { for (;;) { const g = createGraphics(8000, 8000); g.background(random(255)); g.loadPixels(); kept.push(g); } }',
};
