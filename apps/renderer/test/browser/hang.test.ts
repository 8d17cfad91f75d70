import { getPriority } from 'node:os';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { eventually, startRenderer, type RendererUnderTest } from '../renderer-under-test.js';
import { describeWithBrowser } from '../with-browser.js';
import { CONSOLE_FLOOD, EITHER_END, HANGS, MEMORY_BOMBS } from './hostile-sketches.js';
import { IS_LONG } from './long-tests.js';
import { pageProcesses } from './page-processes.js';

/** One hang each in the language, in native code of the browser, in drawing and in what the renderer reads. */
const IN_SHORT = [
  'an endless loop that catches its end',
  'a regular expression that backtracks',
  'shapes whose cost is in the raster alone',
  'a getter that hangs the probe',
];
const VICTIM =
  'function setup() { background(30); for (let i = 0; i < 200; i++) { fill(random(255)); circle(random(width), random(height), 90); } }';

// On a busy machine the victims' renders take most of this time.
jest.setTimeout(400_000);

describeWithBrowser('Sketches that do not end', () => {
  let hostile: RendererUnderTest;
  let honest: RendererUnderTest;
  let victimHash: unknown;

  beforeAll(async () => {
    hostile = await startRenderer({ STILL_DEADLINE_MS: '2000' });
    honest = await startRenderer({}, hostile.engine);
    victimHash = (await honest.still(VICTIM)).body['pixelHash'];
  });
  afterAll(async () => {
    await honest.close();
    await hostile.close();
  });

  /** Runs a victim beside it all the while, in the same browser. */
  const beside = async (attack: Promise<unknown>): Promise<number> => {
    const state = { over: false };
    const done = attack.finally(() => {
      state.over = true;
    });
    let renders = 0;
    do {
      const victim = await honest.still(VICTIM);
      expect(victim).toMatchObject({ status: 200, body: { pixelHash: victimHash } });
      renders += 1;
    } while (!state.over);
    await done;
    return renders;
  };

  it.each(Object.entries(HANGS).filter(([name]) => IS_LONG || IN_SHORT.includes(name)))(
    '%s ends with 422 RENDER_TIMEOUT and harms no other render',
    async (_name, code) => {
      const attack = hostile.still(code);
      expect(await beside(attack)).toBeGreaterThan(0);
      expect(await attack).toMatchObject({ status: 422, body: { error: 'RENDER_TIMEOUT' } });
    },
  );

  it.each(Object.entries(MEMORY_BOMBS))(
    '%s ends with 422 RENDER_MEMORY_LIMIT and harms no other render',
    async (_name, code) => {
      const attack = honest.still(code);
      expect(await beside(attack)).toBeGreaterThan(0);
      expect(await attack).toMatchObject({ status: 422, body: { error: 'RENDER_MEMORY_LIMIT' } });
    },
  );

  it.each(Object.entries(EITHER_END))('%s ends with a 422 and harms no other render', async (_name, code) => {
    const attack = hostile.still(code);
    expect(await beside(attack)).toBeGreaterThan(0);
    const { status, body } = await attack;
    expect(status).toBe(422);
    expect(['RENDER_TIMEOUT', 'RENDER_MEMORY_LIMIT']).toContain(body['error']);
  });

  it('gives way to other sketches while it hangs', async () => {
    const cancel = new AbortController();
    const code = 'function setup() { for (;;) {} }';
    const attack = honest.post('/render', { tenantId: 'hangs', code }, { signal: cancel.signal });
    const cancelled = expect(attack).rejects.toThrow('aborted');
    await eventually('one page has a lower priority', async () => {
      const pages = [...(await pageProcesses(await honest.engine.host.current()))];
      return pages.filter((pid) => getPriority(pid) > getPriority()).length === 1;
    });
    expect((await honest.still(VICTIM)).body['pixelHash']).toBe(victimHash);
    cancel.abort();
    await cancelled;
  });

  it('a hang in a late frame ends with 422 RENDER_TIMEOUT', async () => {
    const impatient = await startRenderer({ FRAME_DEADLINE_MS: '1500' }, hostile.engine);
    const code = 'function draw() { background(frameCount % 255); while (frameCount === 90) {} }';
    const { status, body } = await impatient.post('/loop', { tenantId: 'late', code, totalFrames: 120 });
    expect([status, body['error']]).toEqual([422, 'RENDER_TIMEOUT']);
    await impatient.close();
  });

  it('a flood of 200 MB to the console does no harm', async () => {
    const before = process.memoryUsage().rss;
    const flood = honest.still(CONSOLE_FLOOD);
    expect(await beside(flood)).toBeGreaterThan(0);
    expect(await flood).toMatchObject({ status: 200 });
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 2 ** 20);
  });

  it('leaves no process behind', async () => {
    const pagesAhead = 1;
    const own = 5;
    await eventually(
      'only the browser and the page made ahead are left',
      async () => (await hostile.processes()) <= own + pagesAhead + 1,
    );
    expect((await honest.still(VICTIM)).body['pixelHash']).toBe(victimHash);
  });
});
