// Gray and Scott's reaction and diffusion on a grid of floats.
const [COLUMNS, ROWS, STEPS] = [130, 160, 900];

function setup() {
  noStroke();
  let [a, b] = [new Float32Array(COLUMNS * ROWS).fill(1), new Float32Array(COLUMNS * ROWS)];
  let [nextA, nextB] = [new Float32Array(a), new Float32Array(b)];
  for (let i = 0; i < 40; i++) {
    const at = floor(random(10, ROWS - 10)) * COLUMNS + floor(random(10, COLUMNS - 10));
    for (const step of [0, 1, COLUMNS, COLUMNS + 1]) b[at + step] = 1;
  }
  const around = (grid, i) => (grid[i - 1] + grid[i + 1] + grid[i - COLUMNS] + grid[i + COLUMNS]) / 4 - grid[i];
  for (let step = 0; step < STEPS; step++) {
    for (let row = 1; row < ROWS - 1; row++) {
      for (let i = row * COLUMNS + 1; i < (row + 1) * COLUMNS - 1; i++) {
        const reaction = a[i] * b[i] * b[i];
        nextA[i] = a[i] + 0.8 * around(a, i) - reaction + 0.037 * (1 - a[i]);
        nextB[i] = b[i] + 0.4 * around(b, i) + reaction - 0.097 * b[i];
      }
    }
    [a, nextA, b, nextB] = [nextA, a, nextB, b];
  }
  for (let i = 0; i < a.length; i++) {
    const value = constrain(a[i] - b[i], 0, 1);
    fill(30 + 220 * value, 60 + 160 * value ** 2, 110 + 100 * Math.sqrt(value));
    rect((i % COLUMNS) * 15, floor(i / COLUMNS) * 15, 15, 15);
  }
}
