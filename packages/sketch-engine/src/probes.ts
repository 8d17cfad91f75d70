// Sketches whose pictures differ first when any part of the engine differs.

/** Text in every shipped family, blur, blending, transcendental functions: what differs first on another machine. */
export const TEXT_PROBE = `
function setup() {
  background(245);
  fill(20, 40, 90);
  textSize(180);
  ['sans-serif', 'serif', 'monospace'].forEach((family, row) => {
    textFont(family);
    text('Render 0123 Ωж', 120, 300 + row * 260);
  });
  blendMode(MULTIPLY);
  noStroke();
  for (let i = 0; i < 60; i++) {
    fill(127 + 127 * sin(i), 127 + 127 * cos(i * 1.7), random(255), 160);
    circle(width / 2 + 700 * noise(i) * cos(i), 1600 + 600 * sin(i * i), 40 + 90 * noise(i * 3));
  }
  drawingContext.shadowBlur = 40;
  drawingContext.shadowColor = 'black';
  rect(300, 1900, 900, 300, 60);
}`;
/** Every blend mode over every alpha, gradients, scaling and rotation: what processors and browser versions draw differently. */
export const OPERATIONS_PROBE = `
function setup() {
  background(230);
  noStroke();
  const stamp = createGraphics(90, 90);
  stamp.background(200, 60, 20);
  stamp.fill(20, 160, 220);
  stamp.circle(50, 40, 70);
  const modes = ['source-atop', 'destination-over', 'destination-out', 'lighter', 'xor', 'multiply', 'screen', 'overlay', 'darken', 'lighten', 'color-dodge', 'color-burn', 'hard-light', 'soft-light', 'difference', 'exclusion', 'hue', 'saturation', 'color', 'luminosity'];
  modes.forEach((mode, row) => {
    for (let column = 0; column < 16; column++) {
      drawingContext.globalCompositeOperation = 'source-over';
      fill((row * 53) % 256, (column * 91) % 256, (row * column * 17) % 256, 60 + column * 13);
      rect(column * 120, row * 90, 110, 80);
      drawingContext.globalCompositeOperation = mode;
      fill((column * 37) % 256, (row * 71) % 256, 255 - column * 15, 255 - row * 9);
      circle(column * 120 + 60.3, row * 90 + 40.7, 71);
    }
  });
  drawingContext.globalCompositeOperation = 'source-over';
  const gradient = drawingContext.createLinearGradient(0, 1800, 1900, 2390);
  ['gold', 'rgba(0, 90, 200, 0.3)', 'crimson'].forEach((color, i) => { gradient.addColorStop(i / 2, color); });
  drawingContext.fillStyle = gradient;
  drawingContext.fillRect(0, 1820, 1900, 180);
  ['low', 'medium', 'high'].forEach((quality, i) => {
    drawingContext.imageSmoothingQuality = quality;
    push();
    translate(150 + i * 600, 2180);
    rotate(0.3 + i);
    image(stamp, 0, 0, 313.7, 131.3);
    pop();
  });
}`;

/** The bits of every function of Math at values of every size, as colours. */
export const MATH_PROBE = `
function setup() {
  background(0);
  loadPixels();
  const view = new DataView(new ArrayBuffer(8));
  const names = ['sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'sinh', 'cosh', 'tanh', 'asinh', 'acosh', 'atanh', 'exp', 'expm1', 'log', 'log2', 'log10', 'log1p', 'cbrt', 'sqrt'];
  let at = 0;
  const show = (value) => {
    view.setFloat64(0, value);
    for (const byte of [0, 1, 2, 3, 4, 5, 6, 7]) {
      pixels[at++] = view.getUint8(byte);
      if (at % 4 === 3) pixels[at++] = 255;
    }
  };
  for (let i = 1; i <= 4000; i++) {
    const x = (i % 2 ? 1 : -1) * 1.37 ** ((i % 160) - 80) * (1 + i / 4001);
    for (const name of names) show(Math[name](x));
    show(Math.pow(Math.abs(x), i / 977));
    show(Math.atan2(x, i));
    show(Math.hypot(x, i, 1 / x));
  }
  updatePixels();
}`;

/** Hashes of one picture: of its pixels and of its PNG, 64 hex digits each. */
export interface ProbePin {
  readonly outputHash: string;
  readonly imageHash: string;
}

type ProbePins = Readonly<Record<'text' | 'operations' | 'math', ProbePin>>;

/** Of several versions: what they draw differently is not in the probes. */
const SINCE_1_8: ProbePins = {
  text: {
    outputHash: '9a7815a4c21459dda3d1a574e154bab74b918ae5660b02afa78d02c68fc385d7',
    imageHash: '6e71ddf22b98101a19aef6dce4855c537aad1c04d91c819f139572498451e0eb',
  },
  operations: {
    outputHash: '7add96ce9f84850eb8557887cfe6a493452e2a409d0dce73779817ca82746c16',
    imageHash: 'fd36026d845c682f37cbfea3ca02a3722505aa06ff0ba1706c43039dc731120b',
  },
  math: {
    outputHash: '243087d5491fc8e79df6de78a9334f0dc68dc0939719d5396cd1cdcb279f5c69',
    imageHash: 'da7982c2b1fb1d5047ed0a6ca339c2572be178228b0cc66f4c1136d534cfc3ef',
  },
};

/**
 * The picture hashes of each version of the portable engine, the same on every machine. A change that changes one of
 * these hashes raises the version and adds a row; rows of released versions stay.
 */
export const PORTABLE_PINS: Readonly<Partial<Record<string, ProbePins>>> = {
  '1.8.0': SINCE_1_8,
  '1.9.0': SINCE_1_8,
  '1.10.0': SINCE_1_8,
};
