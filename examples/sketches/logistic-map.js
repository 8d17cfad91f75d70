// The logistic map, its square written with `**`: chaos begins right of the middle.
function setup() {
  background(250);
  noStroke();
  fill(20, 30, 90, 60);
  for (let column = 0; column < width; column += 2) {
    const rate = 2.6 + (1.4 * column) / width;
    let x = 0.5;
    for (let i = 0; i < 400; i++) {
      x = rate * (x - x ** 2.0000000001);
      if (i > 340) rect(column, height * (1 - x), 2, 2);
    }
  }
}
