// VAR and SEED: ten bars, and a number from the seed.
function setup() {
  background(245);
  textAlign(CENTER);
  for (let i = 0; i < VAR.length; i++) {
    fill(60 + VAR[i] * 1.9, 110, 230 - VAR[i] * 1.5);
    rect(75 + i * 182, 2100 - VAR[i] * 18, 160, VAR[i] * 18);
    fill(20);
    textSize(48);
    text(nf(VAR[i], 1, 1), 155 + i * 182, 2170);
  }
  textSize(60);
  text('SEED ' + nfc(SEED), width / 2, 2320);
}
