// Stroked text, measured with textWidth, turned around the centre.
function setup() {
  background('#102a43');
  translate(width / 2, height / 2);
  textFont('serif');
  textAlign(CENTER, CENTER);
  for (let i = 0; i < 18; i++) {
    push();
    rotate((i / 18) * TWO_PI);
    textSize(60 + i * 6);
    stroke(255, 200 - i * 8, 90);
    strokeWeight(3);
    if (i % 2) noFill();
    else fill(240, 244, 248);
    text('provenance', 600, 0);
    pop();
  }
  fill(255);
  noStroke();
  textSize(70);
  text('width ' + round(textWidth('provenance')), 0, 0);
}
