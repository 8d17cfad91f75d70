import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { startRenderer, type RendererUnderTest } from '../renderer-under-test.js';
import { describeWithBrowser } from '../with-browser.js';
import { count, KeptOutcomes, type Counts } from './kept-outcomes.js';
import { LIMITS, PINNED } from './known-sources.js';

/**
 * How often each is certified; `npm run test:long` asks for 20, `npm run determinism` for 1000. Once is enough to compare:
 * a certification draws in two pages, and pages that differ have no hash.
 */
const RUNS = Number(process.env['DETERMINISM_RUNS'] ?? '1');
/** Parts of the names of the sources to be certified, with commas between; all by default. */
const CHOSEN = (process.env['SOURCES'] ?? '').split(',');
/** The engine that draws; the portable one by default. */
const ENGINE = process.env['ENGINE'] ?? 'portable';
const AT_ONCE = 2;
const REPORT_EVERY = 50;

jest.setTimeout(180_000 + 60_000 * RUNS);

describeWithBrowser('Known sources of differences between runs', () => {
  let renderer: RendererUnderTest;
  let kept: KeptOutcomes;
  beforeAll(async () => {
    renderer = await startRenderer({ RENDER_SECONDS_PER_HOUR: '1000000' });
    kept = new KeptOutcomes(process.env['DETERMINISM_OUTCOMES'], `${renderer.engine.rendererVersion} ${ENGINE}`);
  });
  afterAll(async () => {
    await renderer.close();
  });

  /** Certifies it as the node does, in two pages that must agree; one page that refuses it decides alone. */
  const certify = async (code: string, twice: boolean): Promise<string> => {
    const { status, body } = await renderer.still(code, { twice, engine: ENGINE });
    if (status !== 200 && status !== 422) throw new Error(`not judged: ${status} ${String(body['error'])}`);
    return String(status === 200 ? body['pixelHash'] : body['error']);
  };

  const outcomes = async (name: string, code: string): Promise<Counts> => {
    const counts = kept.of(code);
    const ended = (): number => Object.values(counts).reduce((sum, each) => sum + each, 0);
    let begun = ended();
    const one = async (): Promise<void> => {
      while (begun < RUNS) {
        begun += 1;
        const outcome = await certify(code, !(name in LIMITS));
        kept.add(code, outcome);
        count(counts, outcome);
        if (ended() % REPORT_EVERY === 0 || ended() === RUNS)
          process.stderr.write(`${new Date().toISOString()} ${name}: ${ended()} runs, ${JSON.stringify(counts)}\n`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
    return counts;
  };

  const sources = Object.entries({ ...LIMITS, ...PINNED }).filter(([name]) =>
    CHOSEN.some((part) => name.includes(part)),
  );

  it.each(sources)('%s: one picture in all runs, or none', async (name, code) => {
    const found = await outcomes(name, code);
    if (name in LIMITS) {
      expect(['RENDER_ERROR', 'RENDER_MEMORY_LIMIT']).toEqual(expect.arrayContaining(Object.keys(found)));
    } else {
      expect(Object.keys(found)).toEqual([expect.stringMatching(/^sha256:[0-9a-f]{64}$/)]);
    }
  });
});
