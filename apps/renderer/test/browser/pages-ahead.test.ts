import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
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
});
