// Arcs in degrees: open, chord and pie, filled and not.
function setup() {
  background(28, 28, 36);
  angleMode(DEGREES);
  strokeWeight(10);
  const kinds = [undefined, OPEN, CHORD, PIE];
  kinds.forEach((kind, row) => {
    for (let column = 0; column < 4; column++) {
      const x = 280 + column * 460;
      const y = 330 + row * 580;
      stroke(255, 200, 80);
      if (column % 2 === 0) fill(60, 110, 180);
      else noFill();
      const args = [x, y, 360, column < 2 ? 360 : 220, column * 30 - 45, 200 + column * 40];
      if (kind === undefined) arc(...args);
      else arc(...args, kind);
    }
  });
}
