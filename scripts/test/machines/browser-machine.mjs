import { silentLogger } from '@cer/http-service/process';
import { startEngine } from '../../../apps/renderer/dist/engine.js';
import { renderLoop } from '../../../apps/renderer/dist/rendering/render-loop.js';
import { renderStill } from '../../../apps/renderer/dist/rendering/render-still.js';
import { wholeJob } from './whole-job.mjs';

const LIMITS = { deadlineMs: 300_000, maxBytes: 2 ** 32 };
const FRAME_DEADLINE_MS = 120_000;

/** Starts the renderer with a browser. @param {{path: string, remove(): void}} variant removed with the machine */
export async function openBrowserMachine({ path, remove }) {
  try {
    const config = { chromiumPath: path, chromiumUid: 65_534, allowUnsandboxed: false, pagesAhead: 0 };
    const engine = await startEngine(config, silentLogger());
    const { version } = await engine.host.current();
    return {
      version: `Chromium ${version}`,
      engines: ['portable', 'chromium-native'],
      draw: async (name, row) => (await render(engine.pools[name], row)).hash,
      render: (name, row) => render(engine.pools[name], row),
      async close() {
        await engine.close();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/** @returns the hash of a row's pixels or animation, and the picture or its first frame as PNG */
async function render(pool, { code, seed, vars, totalFrames, fps }) {
  const sketch = { code, seed, vars };
  const job = async (work) => (await wholeJob(pool, LIMITS, work)).result;
  if (totalFrames === undefined) {
    const { pixelHash, png } = await job((page) => renderStill(page, sketch));
    return { hash: pixelHash, png };
  }
  const options = { frameDeadlineMs: FRAME_DEADLINE_MS };
  const { animationHash, poster } = await job((page) => renderLoop(page, sketch, { totalFrames, fps }, options));
  return { hash: animationHash, png: poster };
}
