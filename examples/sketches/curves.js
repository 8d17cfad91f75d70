// Bezier and Catmull-Rom curves with their points, tightness from -1 to 1.
function setup() {
  background(255, 252, 240);
  const xs = [150, 520, 900, 1300, 1800];
  for (let row = 0; row < 5; row++) {
    const y = 280 + row * 440;
    curveTightness(row / 2 - 1);
    noFill();
    strokeWeight(8);
    stroke(20, 90, 140);
    beginShape();
    curveVertex(xs[0], y);
    xs.forEach((x, i) => curveVertex(x, y + (i % 2 ? -150 : 150)));
    curveVertex(xs[4], y);
    endShape();
    stroke(220, 60, 60);
    bezier(150, y, 700, y - 320, 1250, y + 320, 1800, y);
    strokeWeight(18);
    for (let t = 0; t <= 1.001; t += 0.125) {
      point(bezierPoint(150, 700, 1250, 1800, t), bezierPoint(y, y - 320, y + 320, y, t));
    }
  }
}
