// Lists of vertices: every kind that beginShape knows, and outlines with holes.
function setup() {
  background(235, 240, 245);
  const kinds = [POINTS, LINES, TRIANGLES, TRIANGLE_STRIP, TRIANGLE_FAN, QUADS, QUAD_STRIP];
  strokeWeight(8);
  kinds.forEach((kind, index) => {
    push();
    translate(180 + (index % 2) * 900, 180 + floor(index / 2) * 560);
    fill(255, 170, 60, 200);
    stroke(40, 50, 90);
    beginShape(kind);
    for (let i = 0; i < 8; i++) vertex(floor(i / 2) * 200, i % 2 ? 320 : sin(i) * 60);
    endShape();
    pop();
  });
  translate(1080, 1860);
  fill(60, 140, 110);
  beginShape();
  vertex(0, 0);
  bezierVertex(200, -200, 500, -200, 700, 0);
  vertex(700, 300);
  quadraticVertex(350, 480, 0, 300);
  beginContour();
  vertex(200, 80);
  vertex(200, 240);
  vertex(480, 240);
  vertex(480, 80);
  endContour();
  endShape(CLOSE);
}
