import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { SKETCH_URL } from '@cer/sketch-engine/render-rules';
import { sketchDocument } from '../../src/sandbox/document.js';
import { bundlePage } from '../../src/sandbox/page-bundle.js';
import { openSketchPage, type SketchPage } from '../../src/sandbox/sketch-page.js';
import { startRenderer, type RendererUnderTest } from '../renderer-under-test.js';
import { describeWithBrowser } from '../with-browser.js';

/** Puts the result where the reader looks for faults. */
const REPORT = `const report = (message) => { document.querySelector('canvas').dataset.fault ??= JSON.stringify({ message }); };`;
const START_WORKER = `${REPORT}
  addEventListener('securitypolicyviolation', ({ effectiveDirective }) => { report(effectiveDirective); });
  new Worker(URL.createObjectURL(new Blob(['postMessage(1)']))).onmessage = () => { report('a worker ran'); };`;

describeWithBrowser('A page without its prelude', () => {
  let renderer: RendererUnderTest;
  let page: SketchPage;

  beforeAll(async () => {
    renderer = await startRenderer({ RENDER_PAGES_AHEAD: '0' });
    const { isolatedWorld } = (await bundlePage()).pages.portable;
    const answers = new Map([[SKETCH_URL, sketchDocument("document.querySelector('canvas').dataset.ready = '';")]]);
    page = await openSketchPage(await renderer.engine.host.current(), { answers, isolatedWorld });
  });
  afterAll(async () => {
    await page.dispose();
    await renderer.close();
  });

  it("starts the frame reader's worker, no other during a sketch", async () => {
    await page.call('prepareFrames', [], 60_000);
    await page.call('load', [START_WORKER, {}], 60_000);
    let answer: unknown = null;
    while (answer === null) answer = await page.call('setup', [], 60_000);
    expect(answer).toEqual({ fault: { message: 'worker-src' } });
    await expect(page.call('prepareFrames', [], 1000)).rejects.toThrow();
  });
});
