// Forty double pendulums that start a thousandth of a degree apart.
function setup() {
  background(245, 240, 230);
  noFill();
  strokeWeight(1.5);
  for (let k = 0; k < 40; k++) {
    let [a, b, va, vb] = [2.1 + k * 1.7e-5, 2.4, 0, 0];
    stroke(20 + k * 5, 60, 160 - k * 3, 120);
    beginShape();
    for (let i = 0; i < 3000; i++) {
      const spread = 3 - Math.cos(2 * a - 2 * b);
      const fa =
        (-3 * Math.sin(a) - Math.sin(a - 2 * b) - 2 * Math.sin(a - b) * (vb * vb + va * va * Math.cos(a - b))) / spread;
      const fb = (2 * Math.sin(a - b) * (2 * va * va + 2 * Math.cos(a) + vb * vb * Math.cos(a - b))) / spread;
      va += fa * 0.012;
      vb += fb * 0.012;
      a += va * 0.012;
      b += vb * 0.012;
      if (i > 2400) {
        const [x, y] = [width / 2 + 430 * Math.sin(a), 1100 + 430 * Math.cos(a)];
        vertex(x + 430 * Math.sin(b), y + 430 * Math.cos(b));
      }
    }
    endShape();
  }
}
