// Hue around, saturation outward; a ring of lerpColor in RGB, HSB and HSL.
function setup() {
  background(20);
  translate(width / 2, 950);
  noStroke();
  colorMode(HSB);
  for (let ring = 0; ring < 12; ring++) {
    for (let step = 0; step < 60; step++) {
      fill(step * 6, 100 - ring * 8, 100);
      arc(0, 0, 1700 - ring * 130, 1700 - ring * 130, (step * TWO_PI) / 60, ((step + 1.05) * TWO_PI) / 60, PIE);
    }
  }
  resetMatrix();
  [RGB, HSB, HSL].forEach((model, row) => {
    colorMode(RGB);
    const from = color('tomato');
    const to = color('#4169e1');
    colorMode(model);
    for (let i = 0; i < 30; i++) {
      fill(lerpColor(from, to, i / 29));
      rect(100 + i * 58, 1950 + row * 130, 58, 110);
    }
  });
}
