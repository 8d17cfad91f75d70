// Families, styles, alignment, boxes, and three scripts.
function setup() {
  background(252, 250, 245);
  fill(25);
  textFont('serif', 170);
  text('Certified', 120, 260);
  textStyle(ITALIC);
  text('execution', 120, 460);
  textFont('Open Sans');
  textStyle(BOLD);
  text('records', 120, 660);
  textStyle(NORMAL);
  textFont('monospace');
  textSize(90);
  text('sha256:0123456789abcdef', 120, 840);
  textFont('sans-serif', 80);
  text('Ελληνικά Кириллица Žluťoučký', 120, 1000);
  stroke(180);
  line(975, 1080, 975, 1480);
  noStroke();
  [LEFT, CENTER, RIGHT].forEach((align, row) => {
    textAlign(align, TOP);
    text('aligned ' + align, 975, 1100 + row * 130);
  });
  textAlign(LEFT, TOP);
  textSize(52);
  textLeading(78);
  fill(235, 228, 210);
  rect(120, 1560, 800, 640);
  rect(1030, 1560, 800, 640);
  fill(25);
  const words =
    'A box breaks its words at the edge and keeps its leading, line after line, until the text ends or the box is full.';
  text(words, 150, 1590, 740, 580);
  textAlign(CENTER, CENTER);
  textWrap(CHAR);
  text(words, 1060, 1590, 740, 580);
}
