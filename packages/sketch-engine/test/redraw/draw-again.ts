import { readInstalledEngine } from '../../src/files/find-engine.js';
import { redraw, type Redrawing, type Redrawn } from '../../src/redraw/redraw.js';

const LIMITS: Redrawing['limits'] = { timeMs: 120_000, memoryBytes: 2 ** 31 };

/** Draws a still, or `totalFrames` of a loop, with the installed engine. */
export async function drawAgain(
  code: string,
  { totalFrames = 1, limits = LIMITS, onFrame }: Partial<Redrawing> & { readonly totalFrames?: number } = {},
): Promise<Redrawn> {
  const { bytes } = await readInstalledEngine();
  const input = { seed: 1, vars: Array.from({ length: 10 }, () => 0), totalFrames, fps: 30 };
  return redraw({ code, input, engine: bytes, limits, allowNetwork: false, ...(onFrame !== undefined && { onFrame }) });
}
