// A loop that keeps its own state from frame to frame.
let bodies;
function setup() {
  bodies = Array.from({ length: 40 }, (_, i) => ({ radius: 120 + i * 22, angle: random(TWO_PI), hue: i * 9 }));
  colorMode(HSB);
}
function draw() {
  background(230, 60, 8);
  translate(width / 2, height / 2);
  noStroke();
  for (const body of bodies) {
    body.angle += TWO_PI / totalFrames;
    fill(body.hue, 80, 100, 0.85);
    circle(cos(body.angle) * body.radius, sin(body.angle) * body.radius, 20 + body.radius / 18);
  }
}
