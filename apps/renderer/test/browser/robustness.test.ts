import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { processGroup, residentBytes } from '../../src/browser/processes.js';
import { eventually, startRenderer, type RendererUnderTest } from '../renderer-under-test.js';
import { describeWithBrowser } from '../with-browser.js';
import { pageProcesses } from './page-processes.js';

const DISC = 'function setup() { background(9); circle(900, 900, 700); }';
const SLOW = 'function setup() { for (;;) {} }';
/** Over how many renders the renderer must stay flat; `npm run test:long` asks for 200. */
const FLAT_RENDERS = Number(process.env['FLAT_RENDERS'] ?? '15');
/** Of processor time, a hundredth of a second each: more than a page takes to be made. */
const COMPUTING_TICKS = 40;
/** Polls without any processor time after which a page is taken to be made. */
const IDLE_POLLS = 10;
const LIGHT_LOOP = 'function draw() { background(frameCount % 255); }';

function cpuTicks(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return 0;
  }
}

/** None while the browser is replaced: it is when a page was killed twice while it was made. */
async function pagesNow({ host }: RendererUnderTest['engine']): Promise<readonly number[]> {
  const browser = await host.current();
  try {
    return [...(await pageProcesses(browser))];
  } catch (error) {
    if (browser.isRunning()) throw error;
    return [];
  }
}

/**
 * The processes of pages that compute. A page made ahead is a process too, but one that is idle; while it is made it may
 * compute as long on a slow machine.
 * @param end ends the search, without any
 */
async function slowPages({ engine }: RendererUnderTest, end?: AbortSignal): Promise<readonly number[]> {
  const before = new Map<number, number>();
  let computing: readonly number[] = [];
  await eventually('a renderer computes', async () => {
    computing = (await pagesNow(engine)).filter((pid) => {
      const spent = cpuTicks(pid);
      const since = before.get(pid) ?? spent;
      before.set(pid, since);
      return spent - since >= COMPUTING_TICKS;
    });
    return computing.length > 0 || end?.aborted === true;
  });
  return computing;
}

describeWithBrowser('A renderer in trouble', () => {
  let renderer: RendererUnderTest;
  let hash: unknown;
  beforeAll(async () => {
    // Pages have a low priority: where other programs keep every core busy, one computes little for a long time.
    const limits = { RENDER_MAX_WAITING: '3', RENDER_CONCURRENCY: '2', STILL_DEADLINE_MS: '120000' };
    renderer = await startRenderer(limits);
    hash = (await renderer.still(DISC)).body['pixelHash'];
  });
  afterAll(async () => {
    await renderer.close();
  });

  const browserPid = async (): Promise<number> => (await renderer.engine.host.current()).pid;
  const killOf = async (type: string): Promise<number> => {
    const victims = processGroup(await browserPid()).filter(({ command }) => command.includes(type));
    for (const { pid } of victims) process.kill(pid, 'SIGKILL');
    return victims.length;
  };
  const gauge = (name: string, value: number): Promise<void> =>
    eventually(`render_jobs_${name} is ${value}`, async () => {
      const metrics = await (await fetch(`${renderer.url}/metrics`)).text();
      return new RegExp(`^render_jobs_${name} ${value}$`, 'm').test(metrics);
    });
  const worksAgain = async (): Promise<void> => {
    expect(await renderer.still(DISC)).toMatchObject({ status: 200, body: { pixelHash: hash } });
  };

  it('fails only the killed job and continues to render', async () => {
    const end = new AbortController();
    const job = renderer.still(SLOW).finally(() => {
      end.abort();
    });
    // A page that is being made may be the first one found: the job runs on without it.
    while (!end.signal.aborted) {
      for (const pid of await slowPages(renderer, end.signal)) process.kill(pid, 'SIGKILL');
    }
    const { status, body } = await job;
    expect([status, body['error']]).toEqual([422, 'RENDER_ERROR']);
    await worksAgain();
  });

  it('skips the second drawing after a failed first one', async () => {
    const failures = async (): Promise<number> => {
      const metrics = await (await fetch(`${renderer.url}/metrics`)).text();
      return Number(/^render_jobs_total\{kind="still",outcome="RENDER_ERROR"\} (\d+)$/m.exec(metrics)?.[1] ?? '0');
    };
    const tenantId = 'twice';
    const before = await failures();
    const code = 'function setup() { throw new Error("x"); }';
    expect((await renderer.post('/render', { tenantId, code, twice: true })).status).toBe(422);
    // The second drawing would be in line before this one.
    expect((await renderer.post('/render', { tenantId, code: DISC })).status).toBe(200);
    expect(await failures()).toBe(before + 1);
  });

  it('replaces a prepared page that ends before the sketch runs', async () => {
    let ahead: readonly number[] = [];
    let [spent, quiet] = [0, 0];
    await eventually('a page is made ahead and idle', async () => {
      ahead = [...(await pageProcesses(await renderer.engine.host.current()))];
      const now = ahead.reduce((sum, pid) => sum + cpuTicks(pid), 0);
      quiet = ahead.length === 1 && now === spent ? quiet + 1 : 0;
      spent = now;
      return quiet === IDLE_POLLS;
    });
    for (const pid of ahead) process.kill(pid, 'SIGSTOP');
    const job = renderer.still(DISC);
    await gauge('running', 1);
    for (const pid of ahead) process.kill(pid, 'SIGKILL');
    expect(await job).toMatchObject({ status: 200, body: { pixelHash: hash } });
  });

  it('renders on after the network service is killed', async () => {
    await eventually('it was killed', async () => (await killOf('--type=utility')) > 0);
    await worksAgain();
  });

  it('answers 503 for a killed browser and starts another', async () => {
    const before = renderer.engine.host.launches;
    const loop = renderer.post('/loop', { tenantId: 't', code: LIGHT_LOOP, totalFrames: 400 });
    await slowPages(renderer);
    process.kill(await browserPid(), 'SIGKILL');
    expect(await loop).toMatchObject({ status: 503, body: { error: 'RENDERER_UNAVAILABLE' } });
    expect((await loop).headers.get('retry-after')).toBe('2');
    await worksAgain();
    expect(renderer.engine.host.launches).toBe(before + 1);
  });

  it('refuses with 503 when full and frees slots of disconnected clients', async () => {
    // A slot is given back after its answer is sent.
    await gauge('running', 0);
    const gone = new AbortController();
    const hold = (): Promise<unknown> =>
      renderer
        .post('/render', { tenantId: `h${Math.random()}`, code: SLOW }, { signal: gone.signal })
        .catch(() => 'gone');
    const held = [hold(), hold(), hold(), hold(), hold()];
    await gauge('waiting', 3);
    const refused = await renderer.still(DISC);
    expect(refused).toMatchObject({ status: 503, body: { error: 'SERVICE_UNAVAILABLE' } });
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    gone.abort();
    expect(await Promise.all(held)).toEqual(['gone', 'gone', 'gone', 'gone', 'gone']);
    await gauge('running', 0);
    await worksAgain();
  });

  it("refuses a tenant's third waiting loop with 429 while others render", async () => {
    await gauge('running', 0);
    const gone = new AbortController();
    const loop = () =>
      renderer.post('/loop', { tenantId: 'one', code: LIGHT_LOOP, totalFrames: 1800 }, { signal: gone.signal });
    const held = [loop(), loop(), loop()].map((job) => job.catch(() => 'gone'));
    await gauge('waiting', 2);
    expect(await loop()).toMatchObject({ status: 429, body: { error: 'RATE_LIMITED' } });
    await worksAgain();
    gone.abort();
    await Promise.all(held);
    await gauge('running', 0);
  });

  it(
    'stays flat over many renders: processes, descriptors, memory, disk',
    async () => {
      const measure = async () => ({
        processes: await renderer.processes(),
        descriptors: readdirSync('/proc/self/fd').length,
        browserMiB: residentBytes(await browserPid()) / 2 ** 20,
        files: readdirSync(tmpdir()).filter((name) => name.startsWith(`cer-renderer-${process.pid}-`)).length,
      });
      for (let i = 0; i < 5; i++) await worksAgain();
      const before = await measure();
      for (let i = 0; i < FLAT_RENDERS; i++) await worksAgain();
      await eventually('it is as it was', async () => {
        const after = await measure();
        return after.processes <= before.processes + 1 && after.descriptors <= before.descriptors + 4;
      });
      const after = await measure();
      expect(after.files).toBe(before.files);
      expect(after.browserMiB).toBeLessThan(before.browserMiB + 60);
      if (FLAT_RENDERS > 15) {
        process.stderr.write(`${JSON.stringify({ renders: FLAT_RENDERS, before, after })}\n`);
      }
    },
    180_000 + 5_000 * FLAT_RENDERS,
  );
});

describeWithBrowser('The end of a renderer', () => {
  it('leaves no process and no folder', async () => {
    const renderer = await startRenderer();
    const { pid } = await renderer.engine.host.current();
    const home = /--user-data-dir=(\S+)\/profile/.exec(processGroup(pid)[0]?.command ?? '')?.[1] ?? '';
    expect(existsSync(home)).toBe(true);
    const running = renderer.still(SLOW).catch(() => 'cut');
    await slowPages(renderer);
    await renderer.engine.close();
    await running;
    await renderer.close();
    expect(processGroup(pid)).toEqual([]);
    expect(existsSync(home)).toBe(false);
    expect(() => readlinkSync(`/proc/${pid}/exe`)).toThrow();
  });
});
