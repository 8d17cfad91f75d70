// Every pixel computed.
function setup() {
  loadPixels();
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const v = Math.sin(x * 0.011) + Math.sin(y * 0.007 + x * 0.003) + Math.cos(Math.hypot(x - 975, y - 1200) * 0.012);
      const at = (y * width + x) * 4;
      pixels[at] = 127 + 42 * v;
      pixels[at + 1] = 127 + 60 * Math.sin(v * 2.1);
      pixels[at + 2] = 160 - 30 * v;
      pixels[at + 3] = 255;
    }
  }
  updatePixels();
}
