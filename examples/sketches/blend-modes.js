// Two overlapping discs in every blend mode.
function setup() {
  background(128, 128, 140);
  const modes = [
    BLEND,
    ADD,
    DARKEST,
    LIGHTEST,
    DIFFERENCE,
    EXCLUSION,
    MULTIPLY,
    SCREEN,
    OVERLAY,
    HARD_LIGHT,
    SOFT_LIGHT,
    DODGE,
    BURN,
  ];
  textAlign(CENTER);
  textSize(44);
  modes.forEach((mode, index) => {
    const x = 340 + (index % 3) * 620;
    const y = 240 + floor(index / 3) * 470;
    noStroke();
    blendMode(BLEND);
    fill(220, 90, 60);
    circle(x - 70, y, 280);
    blendMode(mode);
    fill(70, 140, 230);
    circle(x + 70, y, 280);
    blendMode(BLEND);
    fill(255);
    text(mode, x, y + 215);
  });
}
