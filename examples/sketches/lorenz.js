// The Lorenz system, its rotation by sin and cos at each step.
function setup() {
  background(8, 8, 16);
  noFill();
  stroke(255, 190, 90, 70);
  strokeWeight(2);
  let [x, y, z] = [0.1, 0, 0];
  const step = 0.004;
  let angle = 0;
  beginShape();
  for (let i = 0; i < 24_000; i++) {
    const [dx, dy, dz] = [10 * (y - x), x * (28 - z) - y, x * y - (8 / 3) * z];
    [x, y, z] = [x + step * dx, y + step * dy, z + step * dz];
    angle += Math.atan2(dy, dx) * 1e-5;
    vertex(width / 2 + 42 * (x * Math.cos(angle) - y * Math.sin(angle)), 200 + 42 * z);
    if (i % 400 === 399) {
      endShape();
      stroke(255, 190 - i / 200, 90 + i / 200, 70);
      beginShape();
    }
  }
  endShape();
}
