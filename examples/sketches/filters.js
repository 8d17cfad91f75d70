// One picture through every filter.
function setup() {
  const kinds = [[GRAY], [INVERT], [THRESHOLD, 0.45], [POSTERIZE, 4], [BLUR, 12], [OPAQUE]];
  background(255);
  kinds.forEach(([kind, amount], index) => {
    const g = createGraphics(900, 720);
    g.background(250, 180, 60);
    g.noStroke();
    for (let i = 0; i < 60; i++) {
      g.fill(60 + i * 3, 30 + ((i * 37) % 200), 220 - i * 2);
      g.circle((i * 173) % 900, (i * 311) % 720, 60 + ((i * 29) % 120));
    }
    g.filter(kind, amount);
    image(g, 50 + (index % 2) * 950, 60 + floor(index / 2) * 780);
  });
}
