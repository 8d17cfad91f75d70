// createImage, set, get, copy, and a part of an image drawn larger.
function setup() {
  background(40);
  const tile = createImage(64, 64);
  tile.loadPixels();
  for (let i = 0; i < 64 * 64; i++) {
    const x = i % 64;
    const y = floor(i / 64);
    tile.pixels.set([x * 4, y * 4, (x ^ y) * 4, 255], i * 4);
  }
  tile.updatePixels();
  noSmooth();
  image(tile, 75, 75, 900, 900);
  smooth();
  image(tile, 1000, 75, 875, 875, 16, 16, 32, 32);
  copy(75, 75, 900, 900, 75, 1050, 600, 600);
  const part = get(200, 200, 300, 300);
  image(part, 720, 1050, 600, 600);
  for (let i = 0; i < 400; i++) set(1340 + i, 1050 + 300 + round(sin(i / 20) * 200), color(255, 220, 0));
  updatePixels();
  fill(get(300, 300));
  rect(75, 1720, 1800, 600, 40);
}
