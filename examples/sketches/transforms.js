// translate, rotate, scale, shear, applyMatrix, and the state that pop restores.
function setup() {
  background(30, 34, 42);
  rectMode(CENTER);
  stroke(255);
  strokeWeight(4);
  for (let i = 0; i < 24; i++) {
    push();
    translate(500, 600);
    rotate(i * 0.12);
    scale(1.06 ** i * 0.35);
    fill(255 - i * 9, 120, 60 + i * 8, 90);
    square(0, 0, 300);
    pop();
  }
  for (let i = 0; i < 10; i++) {
    push();
    translate(1250, 260 + i * 90);
    shearX(i * 0.1);
    shearY(i * -0.03);
    fill(80, 180, 120 + i * 12);
    rect(160, 0, 320, 60);
    pop();
  }
  for (let i = 0; i < 12; i++) {
    push();
    applyMatrix(cos(i / 2), sin(i / 2), -sin(i / 2) * 0.5, cos(i / 2) * 0.5, width / 2, 1750);
    noFill();
    stroke(120 + i * 11, 200, 255);
    ellipse(0, 0, 1200 - i * 60, 1000 - i * 40);
    pop();
  }
}
