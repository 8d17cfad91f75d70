// Every simple shape once per row, in all rect and ellipse modes.
function setup() {
  createCanvas(1950, 2400);
  background(250);
  const modes = [CORNER, CORNERS, CENTER, RADIUS];
  strokeWeight(6);
  modes.forEach((mode, row) => {
    push();
    translate(150, 200 + row * 540);
    rectMode(mode);
    ellipseMode(mode);
    stroke(30);
    fill(66, 135, 245, 160);
    rect(0, 0, 150, 220);
    translate(340, 0);
    fill(245, 130, 66, 160);
    ellipse(0, 0, 150, 220);
    translate(340, 0);
    fill(120, 200, 90, 160);
    rect(0, 0, 150, 220, 60, 10, 60, 10);
    translate(340, 0);
    fill(200, 90, 160, 160);
    arc(0, 0, 200, 200, 0, PI + QUARTER_PI);
    translate(340, 0);
    fill(240, 210, 60, 200);
    square(0, 0, 140, 30);
    pop();
    push();
    translate(150, 520 + row * 540);
    stroke(30);
    fill(230);
    triangle(0, 100, 60, -20, 130, 100);
    translate(340, 0);
    quad(0, 0, 140, -20, 170, 90, 20, 110);
    translate(340, 0);
    line(0, 0, 160, 100);
    translate(340, 0);
    strokeWeight(30);
    point(60, 40);
    point(120, 60);
    strokeWeight(6);
    translate(340, 0);
    circle(70, 40, 110);
    pop();
  });
}
