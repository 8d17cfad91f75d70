import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { startRenderer, type RendererUnderTest } from '../renderer-under-test.js';
import { describeWithBrowser } from '../with-browser.js';
import { LIMITS, PINNED } from './known-sources.js';

/** How often each is certified; `npm run test:long` asks for 20, `npm run determinism` for 1000. */
const RUNS = Number(process.env['DETERMINISM_RUNS'] ?? '2');
const AT_ONCE = 2;
const REPORT_EVERY = 50;

jest.setTimeout(180_000 + 30_000 * RUNS);

describeWithBrowser('Known sources of differences between runs', () => {
  let renderer: RendererUnderTest;
  beforeAll(async () => {
    renderer = await startRenderer({ RENDER_SECONDS_PER_HOUR: '1000000' });
  });
  afterAll(async () => {
    await renderer.close();
  });

  /** @returns how often each hash, or each refusal, came of it */
  const outcomes = async (name: string, code: string): Promise<Record<string, number>> => {
    const counts: Record<string, number> = {};
    for (let done = 0; done < RUNS; done += AT_ONCE) {
      const answers = await Promise.all(
        Array.from({ length: Math.min(AT_ONCE, RUNS - done) }, () => renderer.still(code)),
      );
      for (const { status, body } of answers) {
        const outcome = String(status === 200 ? body['pixelHash'] : body['error']);
        counts[outcome] = (counts[outcome] ?? 0) + 1;
      }
      const runs = done + answers.length;
      if (runs % REPORT_EVERY === 0) process.stderr.write(`${name}: ${runs} runs, ${JSON.stringify(counts)}\n`);
    }
    return counts;
  };

  it.each(Object.entries(LIMITS))(`%s: no picture in ${RUNS} runs`, async (name, code) => {
    const refusals = await outcomes(name, code);
    expect(['RENDER_ERROR', 'RENDER_MEMORY_LIMIT']).toEqual(expect.arrayContaining(Object.keys(refusals)));
  });

  it.each(Object.entries(PINNED))(`%s: one picture in ${RUNS} runs`, async (name, code) => {
    const pictures = await outcomes(name, code);
    expect(Object.values(pictures)).toEqual([RUNS]);
    expect(Object.keys(pictures)[0]).toMatch(/^sha256:[0-9a-f]{64}$/);
  });
});
