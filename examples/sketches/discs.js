// Translucent discs from the seed.
function setup() {
  background(246, 242, 233);
  noStroke();
  for (let i = 0; i < 260; i++) {
    fill(random(['#e4572e', '#17bebb', '#ffc914', '#2e282a', '#76b041']));
    drawingContext.globalAlpha = random(0.3, 0.9);
    circle(random(width), random(height), random(30, 260));
  }
}
