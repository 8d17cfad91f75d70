import { spawnSync } from 'node:child_process';
import { readInstalledEngine } from '@cer/sketch-engine/files';
import { redraw } from '@cer/sketch-engine/redraw';
import { seedNumber, VAR_COUNT } from '@cer/sketch-engine/render-rules';

const LIMITS = { timeMs: 600_000, memoryBytes: 2 ** 32 };

/** Draws in Node.js, without a browser. @param {string} program the Node.js that draws */
export async function nodeMachine(program) {
  const { stdout } = spawnSync(program, ['-p', 'process.version + " " + process.arch'], { encoding: 'utf8' });
  const { bytes: engine } = await readInstalledEngine();
  return {
    version: `Node.js ${stdout.trim()}`,
    engines: ['portable'],
    draw: (_name, row) => drawRow(program, engine, row),
    close: async () => undefined,
  };
}

/** @returns {Promise<string>} what went wrong where there is no hash */
async function drawRow(program, engine, { code, seed, vars, totalFrames = 1, fps }) {
  const input = {
    seed: seedNumber(seed),
    vars: Array.from({ length: VAR_COUNT }, (_, index) => vars[index] ?? 0),
    totalFrames,
    fps,
  };
  // The process of a sketch is started with the program of this one.
  const own = process.execPath;
  process.execPath = program;
  try {
    const drawn = await redraw({ code, input, engine, limits: LIMITS, allowNetwork: true });
    return drawn.kind === 'picture' ? `sha256:${drawn.outputHash}` : JSON.stringify(drawn);
  } finally {
    process.execPath = own;
  }
}
