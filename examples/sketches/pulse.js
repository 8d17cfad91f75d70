// A loop: t runs from 0 to 1, so that the last frame leads to the first.
function draw() {
  background(16, 18, 32);
  translate(width / 2, height / 2);
  noFill();
  for (let i = 0; i < 24; i++) {
    const phase = (t + i / 24) % 1;
    stroke(90 + 165 * phase, 120, 255 - 150 * phase, 255 * (1 - phase));
    strokeWeight(4 + 20 * phase);
    circle(0, 0, 1900 * easeOut(phase));
  }
}
