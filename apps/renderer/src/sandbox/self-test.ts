import { z } from 'zod';
import { HexDigest } from '../hex-digest.js';
import { openSketchPage } from './sketch-page.js';
import type { PageScripts } from './page-bundle.js';
import type { BrowserHost } from '../browser/browser-host.js';

/** The picture of the self-test differs from the one that every machine must draw. */
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
/** What every machine must draw, by engine. */
export const SELF_TEST_HASHES = {
  portable: '1b835921026e7f2feec26c3a1949096ae1d6b20aa81b538f848a570d3e0965f2',
  'chromium-native': 'aa0ef676cc9cd0088b98d5c47e3f3cb3945ce67250b2354c1d1c04de61d54207',
} as const;

/**
 * Starts the browser, which checks its confinement, and draws one sketch against a pinned hash.
 * @throws SelfTestFailure, and whatever the start of the browser throws
 */
export async function selfTest(host: BrowserHost, scripts: PageScripts, expected: string): Promise<void> {
  const page = await openSketchPage(await host.current(), scripts);
  try {
    const vars = Array.from({ length: 10 }, () => 0);
    await page.call('load', [CODE, { seed: 1, vars, totalFrames: 1, fps: 30 }], 20_000);
    const { pixelHash } = z.object({ pixelHash: HexDigest }).parse(await page.call('still', [], 30_000));
    if (pixelHash !== expected) {
      throw new SelfTestFailure(
        `this machine draws other pixels (${pixelHash}): fonts, browser or processor differ, and its certificates would too`,
      );
    }
  } finally {
    await page.dispose();
  }
}
