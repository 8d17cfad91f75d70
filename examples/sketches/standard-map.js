// Chirikov's standard map as a loop: kicks of growing strength.
const states = [];

function setup() {
  for (let i = 0; i < 300; i++) states.push([random(TWO_PI), random(TWO_PI)]);
}

function draw() {
  background(10, 12, 20);
  noStroke();
  fill(150, 220, 255, 150);
  const kick = 0.9 + 0.6 * t;
  for (const state of states) {
    for (let i = 0; i < 30; i++) {
      state[1] = (state[1] + kick * Math.sin(state[0])) % TWO_PI;
      state[0] = (state[0] + state[1] + TWO_PI) % TWO_PI;
      circle((state[0] / TWO_PI) * width, (((state[1] + TWO_PI) % TWO_PI) / TWO_PI) * height, 4);
    }
  }
}
