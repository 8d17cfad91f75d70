// Particles on vectors: attraction, limits, rotation.
function setup() {
  background(8, 10, 18);
  const centre = createVector(width / 2, height / 2);
  for (let i = 0; i < 160; i++) {
    const place = p5.Vector.random2D().mult(random(300, 1100)).add(centre);
    const speed = p5.Vector.sub(centre, place).rotate(HALF_PI).setMag(9);
    stroke(120 + random(135), 160, 255, 110);
    strokeWeight(2);
    for (let step = 0; step < 160; step++) {
      const before = place.copy();
      speed.add(p5.Vector.sub(centre, place).normalize().mult(0.16)).limit(14);
      place.add(speed);
      line(before.x, before.y, place.x, place.y);
    }
  }
}
