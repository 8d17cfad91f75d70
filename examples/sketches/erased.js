// Transparency: cleared, erased, and drawn with alpha over nothing.
function setup() {
  noStroke();
  for (let i = 0; i < 12; i++) {
    fill(40 + i * 18, 90, 200, 60 + i * 12);
    circle(300 + i * 120, 1200, 900);
  }
  erase();
  circle(width / 2, 1200, 360);
  noErase();
  fill(255, 80, 40, 128);
  star(width / 2, 1200, 60, 150, 7);
}
