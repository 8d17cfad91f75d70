// Recursion with push and pop.
function branch(length, depth) {
  strokeWeight(depth * 2.2);
  stroke(70 + depth * 8, 50 + (10 - depth) * 14, 40);
  line(0, 0, 0, -length);
  translate(0, -length);
  if (depth === 0) {
    noStroke();
    fill(random(60, 120), random(130, 200), 70, 180);
    ellipse(0, 0, 34, 22);
    return;
  }
  for (const side of [-1, 1]) {
    push();
    rotate(side * random(0.25, 0.5));
    branch(length * random(0.72, 0.82), depth - 1);
    pop();
  }
}
function setup() {
  background(238, 245, 250);
  translate(width / 2, height - 160);
  branch(480, 10);
}
