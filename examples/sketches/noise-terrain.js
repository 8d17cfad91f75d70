// noise, fbm, ridgedNoise and curlNoise side by side.
function setup() {
  background(255);
  noStroke();
  const size = 15;
  for (let y = 0; y < 80; y++) {
    for (let x = 0; x < 65; x++) {
      fill(noise(x * 0.06, y * 0.06) * 255);
      rect(x * size, y * size, size, size);
      fill(30, fbm(x * 0.06, y * 0.06, 6) * 255, 120);
      rect(975 + x * size, y * size, size, size);
      fill(ridgedNoise(x * 0.06, y * 0.06) * 255, 90, 40);
      rect(x * size, 1200 + y * size, size, size);
    }
  }
  stroke(20, 40, 90);
  strokeWeight(3);
  for (let y = 0; y < 40; y++) {
    for (let x = 0; x < 32; x++) {
      const v = curlNoise(x * 0.13, y * 0.13);
      line(990 + x * 30, 1215 + y * 30, 990 + x * 30 + v.x * 18, 1215 + y * 30 + v.y * 18);
    }
  }
}
