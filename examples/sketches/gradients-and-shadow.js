// The canvas underneath: gradients, patterns of dashes, shadows, clipping.
function setup() {
  const ctx = drawingContext;
  const sky = ctx.createLinearGradient(0, 0, 0, height);
  sky.addColorStop(0, '#0b1d51');
  sky.addColorStop(0.6, '#f08a5d');
  sky.addColorStop(1, '#f9ed69');
  ctx.fillStyle = sky;
  ctx.fillRect(0, 0, width, height);
  noStroke();
  ctx.shadowBlur = 90;
  ctx.shadowColor = '#fff6c2';
  fill('#fff6c2');
  circle(1350, 900, 420);
  ctx.shadowBlur = 0;
  for (let ridge = 0; ridge < 5; ridge++) {
    fill(lerpColor(color('#5b3a66'), color('#140f2d'), ridge / 4));
    beginShape();
    vertex(0, height);
    for (let x = 0; x <= width; x += 10) vertex(x, 1350 + ridge * 200 - noise(x * 0.002, ridge * 9) * 420);
    vertex(width, height);
    endShape(CLOSE);
  }
  ctx.setLineDash([40, 24]);
  noFill();
  stroke(255, 160);
  strokeWeight(6);
  rect(60, 60, width - 120, height - 120, 50);
}
