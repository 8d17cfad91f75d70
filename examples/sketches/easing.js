// The easing functions as curves, with caps and joins.
function setup() {
  background(255);
  const curves = [easeIn, easeOut, easeInOut, easeCubic, easeExpo, (x) => x];
  const caps = [ROUND, SQUARE, PROJECT];
  const joins = [MITER, BEVEL, ROUND];
  curves.forEach((ease, index) => {
    push();
    translate(150 + (index % 2) * 900, 200 + floor(index / 2) * 760);
    noFill();
    stroke(200);
    strokeWeight(4);
    rect(0, 0, 740, 540);
    stroke(230, 80 + index * 25, 60);
    strokeWeight(26);
    strokeCap(caps[index % 3]);
    strokeJoin(joins[index % 3]);
    beginShape();
    for (let i = 0; i <= 10; i++) vertex(map(i, 0, 10, 0, 740), map(ease(i / 10), 0, 1, 540, 0));
    endShape();
    pop();
  });
}
