// G15, G16: a loop and a still of the renderer compared with the obvious alternative, puppeteer with screenshots, and
// the loop compared with the time to hash its pixels on one core.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import puppeteer from 'puppeteer';
import { silentLogger } from '@cer/http-service/process';
import { startEngine } from '../apps/renderer/dist/engine.js';
import { renderLoop } from '../apps/renderer/dist/rendering/render-loop.js';
import { renderStill } from '../apps/renderer/dist/rendering/render-still.js';
import { ensureBrowser } from '../scripts/browser.mjs';
import { wholeJob } from '../scripts/test/machines/whole-job.mjs';
import { caseOf, median, ratio } from './measure.mjs';

const [WIDTH, HEIGHT] = [1950, 2400];
const LIMITS = { deadlineMs: 600_000, maxBytes: 2 ** 31 };

/** 100 discs a frame, as a sketch and as plain canvas calls for the peer. */
const LOOP_SKETCH = `function draw() {
  background(20); noStroke();
  for (let i = 0; i < 100; i++) { fill((i * 37) % 255, (i * 91) % 255, 200); circle((i * 173 + frameCount * 7) % width, (i * 311 + frameCount * 3) % height, 60 + (i % 80)); }
}`;
const STILL_SKETCH = `function setup() {
  background(240);
  for (let i = 0; i < 300; i++) { fill((i * 37) % 255, (i * 91) % 255, 200); circle((i * 173) % width, (i * 311) % height, 40 + (i % 160)); }
}`;
const PEER_DRAWING = `(frame) => {
  const ctx = (globalThis.ctx ??= document.querySelector('canvas').getContext('2d'));
  ctx.fillStyle = 'rgb(20,20,20)'; ctx.fillRect(0, 0, ${WIDTH}, ${HEIGHT});
  for (let i = 0; i < 100; i++) {
    ctx.fillStyle = \`rgb(\${(i * 37) % 255},\${(i * 91) % 255},200)\`;
    ctx.beginPath(); ctx.arc((i * 173 + frame * 7) % ${WIDTH}, (i * 311 + frame * 3) % ${HEIGHT}, 30 + (i % 80) / 2, 0, 7); ctx.fill();
  }
}`;
const P5 = readFileSync(`${import.meta.dirname}/../node_modules/p5/lib/p5.min.js`, 'utf8');
/** p5.js runs setup() some time after loading; the sketch signals when it has drawn. */
const P5_SKETCH = STILL_SKETCH.replace('{', `{ createCanvas(${WIDTH}, ${HEIGHT}); noLoop();`).replace(
  /}$/,
  'globalThis.hasDrawn = true; }',
);
const PEER_PAGE = `<body style="margin:0"><canvas width="${WIDTH}" height="${HEIGHT}" style="display:block"></canvas>`;

/**
 * @param {{rounds: number, frames: number, peerFrames: number, stills: number, longLoop: number}} options per round; odd
 *   rounds; `longLoop`: frames of one loop that is rendered once, 0 to skip it
 * @returns {Promise<{cases: object[], ratios: object[]}>} no cases where no browser can be installed, which is printed with its reason
 */
export async function rendererCases({ rounds, frames, peerFrames, stills, longLoop }) {
  const { path: chromiumPath } = await ensureBrowser();
  if (chromiumPath === undefined) return { cases: [], ratios: [] };
  const config = { chromiumPath, chromiumUid: 65_534, allowUnsandboxed: false, pagesAhead: 1 };
  const engine = await startEngine(config, silentLogger());
  const peer = await puppeteer.launch({
    executablePath: chromiumPath,
    headless: 'shell',
    args: ['--disable-gpu', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
  });
  try {
    const timed = new Map([
      ['loop, ours, frames', () => ours(engine, 'portable', frames)],
      ['loop, page.screenshot + hash per frame', () => peerLoop(peer, peerFrames)],
      ['SHA-256 of a frame, one core', () => hashFloor(frames)],
      ['warm simple render, ours', () => ourStills(engine, 'portable', stills)],
      ['warm simple render, p5.js in a fresh puppeteer page + screenshot', () => peerStills(peer, stills)],
      ['loop, chromium-native, frames', () => ours(engine, 'chromium-native', frames)],
      ['warm simple render, chromium-native', () => ourStills(engine, 'chromium-native', stills)],
    ]);
    const rates = new Map([...timed.keys()].map((name) => [name, []]));
    await ourStills(engine, 'portable', 2);
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, run] of timed) rates.get(name).push(await run());
    }
    const [loop, peerRate, floor, still, peerStill, nativeLoop, nativeStill] = [...rates.values()].map(median);
    if (longLoop > 0) rates.set(`one loop of ${longLoop} frames, ours`, [await ours(engine, 'portable', longLoop)]);
    return {
      cases: [...rates].map(([name, values]) =>
        caseOf(name, name.startsWith('warm') ? 'renders/s' : 'frames/s', values),
      ),
      ratios: [
        ratio('G15', 'loop frames/s, ours / page.screenshot', loop / peerRate, 8),
        ratio('G15', 'loop frames/s / SHA-256 alone', loop / floor, 0.5),
        ratio('G16', 'simple render, ours / p5.js in a fresh puppeteer page', still / peerStill, 3.5),
        ratio('G15', 'loop frames/s, chromium-native / page.screenshot', nativeLoop / peerRate, 8),
        ratio('G16', 'simple render, chromium-native / p5.js in a fresh puppeteer page', nativeStill / peerStill, 3.5),
      ],
    };
  } finally {
    await peer.close();
    await engine.close();
  }
}

const job = async (engine, name, work) => (await wholeJob(engine.pools[name], LIMITS, work)).result;

async function ours(engine, name, frames) {
  const sketch = { code: LOOP_SKETCH, seed: 'bench', vars: [] };
  const startedAt = performance.now();
  const { frameHashes } = await job(engine, name, (page) =>
    renderLoop(page, sketch, { totalFrames: frames, fps: 30 }, { frameDeadlineMs: 10_000 }),
  );
  if (new Set(frameHashes).size !== frames) throw new Error('every frame must have its own hash');
  return (frames / (performance.now() - startedAt)) * 1000;
}

async function ourStills(engine, name, count) {
  const startedAt = performance.now();
  for (let i = 0; i < count; i += 1)
    await job(engine, name, (page) => renderStill(page, { code: STILL_SKETCH, seed: 'bench', vars: [] }));
  return (count / (performance.now() - startedAt)) * 1000;
}

async function openPeerPage(peer) {
  const page = await peer.newPage();
  await page.setViewport({ width: WIDTH, height: HEIGHT });
  await page.setContent(PEER_PAGE);
  return page;
}

async function peerLoop(peer, frames) {
  const page = await openPeerPage(peer);
  const startedAt = performance.now();
  for (let frame = 0; frame < frames; frame += 1) {
    await page.evaluate(`(${PEER_DRAWING})(${frame})`);
    createHash('sha256')
      .update(await page.screenshot())
      .digest('hex');
  }
  const rate = (frames / (performance.now() - startedAt)) * 1000;
  await page.close();
  return rate;
}

async function peerStills(peer, count) {
  const startedAt = performance.now();
  for (let i = 0; i < count; i += 1) {
    const page = await peer.newPage();
    await page.setViewport({ width: WIDTH, height: HEIGHT });
    await page.setContent('<body style="margin:0">');
    await page.addScriptTag({ content: P5_SKETCH });
    await page.addScriptTag({ content: P5 });
    await page.waitForFunction('globalThis.hasDrawn === true');
    createHash('sha256')
      .update(await page.screenshot())
      .digest('hex');
    await page.close();
  }
  return (count / (performance.now() - startedAt)) * 1000;
}

function hashFloor(frames) {
  const frame = Buffer.alloc(WIDTH * HEIGHT * 4, 7);
  const count = Math.min(frames, 40);
  const startedAt = performance.now();
  for (let i = 0; i < count; i += 1) createHash('sha256').update(frame).digest();
  return (count / (performance.now() - startedAt)) * 1000;
}
