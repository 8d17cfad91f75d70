import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { IS_LONG } from '../browser/long-tests.js';
import { startPacketCounter, type PacketCounter } from '../packet-counter.js';
import { startRenderer, type Answer, type RendererUnderTest } from '../renderer-under-test.js';
import { describeWithBrowser } from '../with-browser.js';
import { CRASH } from './crash.js';
import { ESCAPE } from './escape.js';
import { ESCAPED, type Family, type HostileSketch } from './family.js';
import { HONEST, NEIGHBOURS } from './neighbours.js';
import { NETWORK } from './network.js';
import { MEMORY, TIME } from './resources.js';
import { CLOCKS, RANDOMNESS } from './values.js';

// Families of hostile sketches, each beside a victim whose picture must not change.

const FAMILIES: readonly Family[] = [NETWORK, CLOCKS, RANDOMNESS, ESCAPE, CRASH, NEIGHBOURS, MEMORY, TIME];
const VICTIM =
  'function setup() { background(30); for (let i = 0; i < 100; i++) { fill(random(255)); circle(random(width), random(height), 90); } }';

// On a busy machine the victims' renders take most of this time.
jest.setTimeout(400_000);

/** Sketches of a family in this form; those of the network are given the port when they run. */
const named = (family: Family): readonly string[] =>
  family
    .sketches(0)
    .map(({ name }) => name)
    .filter((name) => IS_LONG || name === family.short);

describeWithBrowser('Hostile sketches', () => {
  let hostile: RendererUnderTest;
  let honest: RendererUnderTest;
  let victimHash: unknown;
  let honestHash: unknown;
  let outside: PacketCounter;
  /** Number of sketches by family and ending. */
  const endings = new Map<string, number>();

  beforeAll(async () => {
    // A sketch that ends is drawn within this time on a busy machine; one that hangs uses it up.
    hostile = await startRenderer({ STILL_DEADLINE_MS: IS_LONG ? '12000' : '5000' });
    honest = await startRenderer({}, hostile.engine);
    victimHash = (await honest.still(VICTIM)).body['pixelHash'];
    honestHash = (await honest.still(HONEST)).body['pixelHash'];
    outside = await startPacketCounter();
  });
  afterAll(async () => {
    outside.close();
    await honest.close();
    await hostile.close();
  });

  const outcome = ({ status, body }: Answer): readonly unknown[] => [status, body['pixelHash'], body['error']];

  const judge: Readonly<Record<HostileSketch['ending'], (answer: Answer, code: string) => Promise<void>>> = {
    same: async (answer, code) => {
      expect([200, 400, 422]).toContain(answer.status);
      expect(outcome(await hostile.still(code))).toEqual(outcome(answer));
    },
    lost: async (answer, code) => {
      const answers = [answer, await hostile.still(code)];
      for (const { status } of answers) expect([200, 422]).toContain(status);
      const drawn = answers.filter(({ status }) => status === 200).map(({ body }) => body['pixelHash']);
      expect(new Set(drawn).size).toBeLessThanOrEqual(1);
    },
    bounded: async ({ status, body }) => {
      if (status === 200) return;
      expect(status).toBe(422);
      expect(['RENDER_TIMEOUT', 'RENDER_MEMORY_LIMIT', 'RENDER_ERROR']).toContain(body['error']);
    },
    timeout: async (answer) => {
      expect(outcome(answer)).toEqual([422, undefined, 'RENDER_TIMEOUT']);
    },
    honest: async (answer) => {
      expect([200, 400, 422]).toContain(answer.status);
      expect((await honest.still(HONEST)).body['pixelHash']).toBe(honestHash);
    },
  };

  it.each(FAMILIES.flatMap((family) => named(family).map((name) => [family.name, name, family] as const)))(
    '%s: %s harms nothing',
    async (familyName, name, family) => {
      const sketch = family.sketches(outside.port).find((one) => one.name === name);
      if (sketch === undefined) throw new Error('no such sketch');
      const [answer, victim] = await Promise.all([hostile.still(sketch.code), honest.still(VICTIM)]);
      expect(victim).toMatchObject({ status: 200, body: { pixelHash: victimHash } });
      expect(JSON.stringify(answer.body)).not.toContain(ESCAPED);
      await judge[sketch.ending](answer, sketch.code);
      const ending = `${familyName}: ${answer.status === 200 ? 'drawn' : String(answer.body['error'])}`;
      endings.set(ending, (endings.get(ending) ?? 0) + 1);
    },
  );

  it('are at least 200', () => {
    expect(FAMILIES.flatMap((family) => family.sketches(0)).length).toBeGreaterThanOrEqual(200);
  });

  it("send no packet where the test's own arrives", async () => {
    expect(outside.packets).toBe(0);
    await outside.control();
    expect(outside.packets).toBe(2);
    if (IS_LONG) process.stderr.write(`${JSON.stringify(Object.fromEntries(endings), null, 1)}\n`);
  });
});
