// De Jong's attractor: a last bit of sin or cos that differs moves every later point.
const POINTS = 600_000;

function setup() {
  const hits = new Uint16Array(width * height);
  const [a, b, c, d] = [1.641, 1.902, 0.316, 1.525];
  let [x, y] = [0.1, 0.1];
  for (let i = 0; i < POINTS; i++) {
    [x, y] = [Math.sin(a * y) - Math.cos(b * x), Math.sin(c * x) - Math.cos(d * y)];
    const column = Math.floor(((x + 2) / 4) * width);
    const row = Math.floor(((y + 2) / 4) * height);
    hits[row * width + column]++;
  }
  loadPixels();
  for (let i = 0; i < hits.length; i++) {
    const light = Math.min(255, hits[i] * 60);
    pixels.set([12 + light * 0.4, 14 + light * 0.9, 40 + light * 0.8, 255], i * 4);
  }
  updatePixels();
}
