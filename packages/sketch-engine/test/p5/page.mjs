// Runs in a page beside p5.js: the same code as a sketch of ours and as one of p5.js.
/* global document, p5, SIZE */
import { createSketchApi } from '../../src/drawing/sketch-api.ts';

/** Channels may differ by this much, where one rounds and the other does not. */
const TOLERANCE = 2;

/** Runs code with the members of an object as its globals. */
function run(code, names) {
  const body = /\breturn\b|;/.test(code) ? code : `return (${code})`;
  return new Function('names', 'p5', `with (names) { ${body} }`)(names, names.p5 ?? p5);
}

function makeCanvas(width, height) {
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  return canvas.getContext('2d', { willReadFrequently: true });
}

function makeOurs() {
  const names = {};
  const ctx = makeCanvas(SIZE, SIZE);
  const input = { seed: 1, vars: [], totalFrames: 1, fps: 30 };
  const { globals } = createSketchApi(ctx, makeCanvas, input, (name, value) => {
    names[name] = value;
  });
  for (const [name, value] of globals) if (!(name in names)) names[name] = value;
  return { ctx, names };
}

function makeP5() {
  return new Promise((resolve, reject) => {
    new p5((names) => {
      names.setup = () => {
        try {
          names.pixelDensity(1);
          const { canvas } = names.createCanvas(SIZE, SIZE);
          names.noLoop();
          resolve({ ctx: canvas.getContext('2d'), names });
        } catch (error) {
          reject(error);
        }
      };
    });
  });
}

/** Numbers to nine digits, a vector as its parts, a colour as its channels. */
function shown(value, names) {
  if (typeof value === 'number') return Number.isFinite(value) ? Number(value.toPrecision(9)) : String(value);
  if (Array.isArray(value)) return value.map((one) => shown(one, names));
  if (typeof value !== 'object' || value === null) return value;
  if ('z' in value) return { vector: shown([value.x, value.y, value.z], names) };
  return { color: ['red', 'green', 'blue', 'alpha'].map((part) => Math.round(names[part](value))) };
}

/** The value of each code; it begins with the modes of a new sketch. */
function valuesIn(codes, { names }) {
  return codes.map((code) => {
    run(
      'angleMode(RADIANS); colorMode(HSB, 360, 100, 100, 1); colorMode(HSL, 360, 100, 100, 1); colorMode(RGB, 255)',
      names,
    );
    return shown(run(code, names), names);
  });
}

globalThis.valuesOfOurs = (codes) => valuesIn(codes, makeOurs());
globalThis.valuesOfP5 = async (codes) => valuesIn(codes, await makeP5());

/** How many channels of the two pictures differ. */
globalThis.differingChannels = async (code) => {
  const theirSketch = await makeP5();
  const [ours, theirs] = [makeOurs(), theirSketch].map(({ ctx, names }) => {
    run(code, names);
    return ctx.getImageData(0, 0, SIZE, SIZE).data;
  });
  theirSketch.names.remove();
  return ours.filter((value, at) => Math.abs(value - theirs[at]) > TOLERANCE).length;
};

/** The public names of p5.js, of sketches and of vectors, that ours do not have. */
globalThis.absentNames = () => {
  const { names } = makeOurs();
  const absent = (theirs, ours) =>
    Object.getOwnPropertyNames(theirs).filter((name) => !name.startsWith('_') && !(name in ours));
  return [...absent(p5.prototype, names), ...absent(p5.Vector.prototype, names.createVector())].join(' ');
};
