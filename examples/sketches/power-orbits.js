// Orbits through powers, logarithms and roots; each circle's place depends on all before it.
function setup() {
  background(15, 18, 30);
  noFill();
  let z = 0.37;
  for (let i = 0; i < 4000; i++) {
    z = Math.abs(Math.log(z ** 1.7 + Math.cbrt(z) * 1e-3) * 3.9) % 1.9;
    let turn = i;
    turn **= 1.3;
    const radius = 40 + 700 * (Math.expm1(z) / 6);
    stroke(120 + 100 * Math.tanh(z), 160, 255 - 90 * z, 90);
    circle(width / 2 + radius * Math.cos(turn), height / 2 + radius * Math.sin(turn), 6 + 30 * z);
  }
}
