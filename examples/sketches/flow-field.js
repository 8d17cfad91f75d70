// Lines that follow Perlin noise.
function setup() {
  background(12, 18, 30);
  noFill();
  strokeWeight(2.5);
  colorMode(HSB);
  for (let i = 0; i < 900; i++) {
    let x = random(width);
    let y = random(height);
    stroke(map(y, 0, height, 170, 320), 70, 95, 0.45);
    beginShape();
    for (let step = 0; step < 60; step++) {
      vertex(x, y);
      const angle = noise(x * 0.0012, y * 0.0012) * TWO_PI * 2;
      x += cos(angle) * 12;
      y += sin(angle) * 12;
    }
    endShape();
  }
}
