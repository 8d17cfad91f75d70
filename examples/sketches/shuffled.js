// The popular shuffle: the comparator contradicts itself, so the sort's own steps decide the order.
function setup() {
  background(255);
  noStroke();
  colorMode(HSB, 360, 100, 100);
  const cells = Array.from({ length: 30 * 24 }, (_, i) => i);
  cells.sort(() => random() - 0.5);
  const numbers = Float64Array.from(cells).sort(() => Math.random() - 0.5);
  const copy = cells.toSorted((x, y) => ((x * 7919 + y) % 3) - 1);
  cells.forEach((cell, i) => {
    fill(cell / 2, 30 + (numbers[i] % 70), 40 + (copy[i] % 60));
    rect((i % 24) * 81.25, floor(i / 24) * 80, 78, 76);
  });
}
