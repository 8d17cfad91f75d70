import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { isAlive } from '../../src/browser/processes.js';
import { bundlePage } from '../../src/sandbox/page-bundle.js';
import { createPagePool } from '../../src/sandbox/page-pool.js';
import { eventually, startRenderer, type RendererUnderTest } from '../renderer-under-test.js';
import { describeWithBrowser } from '../with-browser.js';

describeWithBrowser('Pages opened ahead', () => {
  let renderer: RendererUnderTest;
  beforeAll(async () => {
    renderer = await startRenderer({ RENDER_PAGES_AHEAD: '1' });
  });
  afterAll(async () => {
    await renderer.close();
  });

  it.each(['chromium-native', 'portable'])("are ready from the engine's first render on: %s", async (engine) => {
    const { cdp } = await renderer.engine.host.current();
    const calls = jest.spyOn(cdp, 'call');
    const opened = (): number => calls.mock.calls.filter(([method]) => method === 'Target.createTarget').length;
    const { status } = await renderer.still('function setup() { background(9); }', { engine });
    expect(status).toBe(200);
    await eventually('a second page is opened', () => opened() === 2);
    calls.mockRestore();
  });

  it('are opened while another page compiles its engine', async () => {
    const { host } = renderer.engine;
    const { pages: scripts } = await bundlePage();
    const pool = createPagePool({ host, scripts: scripts.portable, ahead: 0 });
    const calls = jest.spyOn((await host.current()).cdp, 'call');
    const begun = (): number => calls.mock.calls.filter(([method]) => method === 'Target.createTarget').length;
    const opening = [pool.take(), pool.take(), pool.take()];
    await Promise.race(opening);
    expect(begun()).toBeGreaterThan(1);
    const pages = await Promise.all(opening);
    calls.mockRestore();
    const pids = pages.flatMap((page) => page.pids);
    expect(new Set(pids).size).toBe(3);
    await Promise.all(pages.map((page) => page.dispose()));
    expect(pids.filter(isAlive)).toEqual([]);
  });
});
