// A still with setup and draw: draw runs once, on what setup drew.
let shapes = [];
function setup() {
  createCanvas(1950, 2400);
  background(18, 44, 52);
  noLoop();
  for (let sides = 3; sides <= 11; sides++) shapes.push(sides);
}
function draw() {
  stroke(235, 240, 220);
  strokeWeight(7);
  shapes.forEach((sides, i) => {
    fill(40 + i * 24, 180 - i * 9, 110, 200);
    polygon(350 + (i % 3) * 620, 440 + floor(i / 3) * 740, 260, sides, frameCount);
  });
}
