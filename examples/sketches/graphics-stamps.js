// A stamp drawn once off-screen and placed many times, tinted.
function setup() {
  background(250, 247, 240);
  const stamp = createGraphics(300, 300);
  stamp.translate(150, 150);
  stamp.noFill();
  stamp.stroke(255);
  stamp.strokeWeight(12);
  for (let i = 0; i < 8; i++) {
    stamp.rotate(PI / 4);
    stamp.ellipse(60, 0, 110, 50);
  }
  imageMode(CENTER);
  for (let row = 0; row < 7; row++) {
    for (let column = 0; column < 6; column++) {
      push();
      translate(190 + column * 315, 210 + row * 330);
      rotate((row * 6 + column) * 0.13);
      tint(40 + column * 38, 90, 220 - row * 25, 230);
      image(stamp, 0, 0, 280, 280);
      pop();
    }
  }
}
