import { createHash } from 'node:crypto';
import { z } from 'zod';
import { HexDigest } from '../hex-digest.js';
import { openSketchPage } from './sketch-page.js';
import type { PageScripts } from './page-bundle.js';
import type { BrowserHost } from '../browser/browser-host.js';

/** The portable engine draws another picture than the one that every machine must draw. */
export class SelfTestFailure extends Error {
  override readonly name = 'SelfTestFailure';
}

/** Text in every shipped family, blur, blending, transcendental functions: what differs first on another machine. */
const CODE = `
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
/** What every machine must draw with the portable engine. */
const PIXEL_HASH = '1b835921026e7f2feec26c3a1949096ae1d6b20aa81b538f848a570d3e0965f2';

/** Every blend mode over every alpha, gradients, scaling and rotation: what processors and browser versions draw differently. */
const PROBE = `
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

/**
 * Starts the browser, which checks its confinement, and draws one sketch with the portable engine against a pinned hash.
 * @throws SelfTestFailure, and errors of the browser's start
 */
export async function selfTest(host: BrowserHost, portable: PageScripts): Promise<void> {
  const pixelHash = await draw(host, portable, CODE);
  if (pixelHash !== PIXEL_HASH)
    throw new SelfTestFailure(
      `the portable engine draws other pixels here (${pixelHash}): a part of it is not the right one`,
    );
}

/** How the browser's own canvas behaves on this machine: a digest over two pictures. */
export async function fingerprintOf(host: BrowserHost, native: PageScripts): Promise<string> {
  const hash = createHash('sha256');
  for (const code of [CODE, PROBE]) hash.update(await draw(host, native, code));
  return hash.digest('hex');
}

/** @returns the pixel hash, 64 lower-case hex digits */
async function draw(host: BrowserHost, scripts: PageScripts, code: string): Promise<string> {
  const page = await openSketchPage(await host.current(), scripts);
  try {
    const vars = Array.from({ length: 10 }, () => 0);
    await page.call('load', [code, { seed: 1, vars, totalFrames: 1, fps: 30 }], 20_000);
    return z.object({ pixelHash: HexDigest }).parse(await page.call('still', [], 30_000)).pixelHash;
  } finally {
    await page.dispose();
  }
}
