// The portable engine's picture of the sketch in one case file, drawn in a confined process.
import { readInstalledEngine } from '@cer/sketch-engine/files';
import { redraw } from '@cer/sketch-engine/redraw';
import { seedNumber } from '@cer/sketch-engine/render-rules';

const LIMITS = { timeMs: 120_000, memoryBytes: 2 ** 31 };

/** @param {{code: string, seed: string, VAR: number[], totalFrames: number, fps: number}} file */
export async function renderCase({ code, seed, VAR, totalFrames, fps }) {
  const { bytes: engine } = await readInstalledEngine();
  const input = {
    seed: seedNumber(seed),
    vars: Array.from({ length: 10 }, (_, at) => VAR[at] ?? 0),
    totalFrames,
    fps,
  };
  const drawn = await redraw({ code, input, engine, limits: LIMITS, allowNetwork: true });
  if (drawn.kind === 'fault') return { refused: drawn.fault.code };
  if (drawn.kind === 'ended') return { refused: `ended by ${drawn.by}` };
  const hash = `sha256:${drawn.outputHash}`;
  return totalFrames === 1 ? { pixelHash: hash } : { animationHash: hash };
}
