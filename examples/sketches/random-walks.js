// Chance in every form: ranges, choices, Gaussian, shuffle, Math.random.
function setup() {
  background(255, 250, 240);
  noFill();
  for (let walk = 0; walk < 14; walk++) {
    stroke(random(['crimson', 'teal', 'goldenrod', 'slateblue']));
    strokeWeight(random(2, 9));
    let [x, y] = [randomGaussian(width / 2, 200), randomGaussian(height / 2, 260)];
    beginShape();
    for (let i = 0; i < 400; i++) {
      vertex(x, y);
      x = constrain(x + (Math.random() - 0.5) * 90, 60, width - 60);
      y = constrain(y + random(-45, 45), 60, height - 60);
    }
    endShape();
  }
  fill(30);
  noStroke();
  textSize(46);
  shuffle(['one', 'two', 'three', 'four', 'five', 'six']).forEach((word, i) => text(word, 80 + i * 300, 2330));
}
