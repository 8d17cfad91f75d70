import { createHash } from 'node:crypto';
import * as z from 'zod';
import { MATH_PROBE, OPERATIONS_PROBE, PORTABLE_PINS, TEXT_PROBE } from '@cer/sketch-engine/probes';
import { PORTABLE_VERSION } from '@cer/sketch-engine/engine-identity';
import { HexDigest } from '../hex-digest.js';
import { usedStack } from './stack-limit.js';
import { openSketchPage } from './sketch-page.js';
import type { PageScripts } from './page-bundle.js';
import type { BrowserHost } from '../browser/browser-host.js';

/** A picture differs from the pinned one, or the stack of a page is not known. */
export class SelfTestFailure extends Error {
  override readonly name = 'SelfTestFailure';
}

/**
 * Starts the browser, which checks its confinement, and draws one sketch with the portable engine against a pinned hash.
 * @throws SelfTestFailure, and errors of the browser's start
 */
export async function selfTest(host: BrowserHost, portable: PageScripts): Promise<void> {
  const pixelHash = await draw(host, portable, TEXT_PROBE);
  if (pixelHash !== PORTABLE_PINS[PORTABLE_VERSION]?.text.outputHash)
    throw new SelfTestFailure(
      `the portable engine draws other pixels here (${pixelHash}): a part of it is not the right one`,
    );
}

/** Fingerprint of the browser's canvas on this machine: a digest over three pictures. */
export async function fingerprintOf(host: BrowserHost, native: PageScripts): Promise<string> {
  const hash = createHash('sha256');
  for (const code of [TEXT_PROBE, OPERATIONS_PROBE, MATH_PROBE]) hash.update(await draw(host, native, code));
  return hash.digest('hex');
}

/** @returns the pixel hash, 64 lower-case hex digits */
async function draw(host: BrowserHost, scripts: PageScripts, code: string): Promise<string> {
  const page = await openSketchPage(await host.current(), scripts);
  try {
    const vars = Array.from({ length: 10 }, () => 0);
    await page.call('load', [code, { seed: 1, vars, totalFrames: 1, fps: 30 }], 20_000);
    const { pixelHash } = z.object({ pixelHash: HexDigest }).parse(await page.call('still', [], 30_000));
    if (usedStack(page) === undefined)
      throw new SelfTestFailure('the kernel does not report the stack of a process: VmStk in /proc/<pid>/status');
    return pixelHash;
  } finally {
    await page.dispose();
  }
}
