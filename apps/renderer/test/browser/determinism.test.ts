import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readInstalledEngine } from '@cer/sketch-engine/files';
import { redraw } from '@cer/sketch-engine/redraw';
import { seedNumber } from '@cer/sketch-engine/render-rules';
import { startRenderer, type RendererUnderTest } from '../renderer-under-test.js';
import { describeWithBrowser } from '../with-browser.js';
import { IS_LONG } from './long-tests.js';

const [RESTARTS, RENDERS] = IS_LONG ? [3, 20] : [1, 6];

/** Draws what it is given as bars, so that any difference shows in the pixels. */
const DRAWN = (values: string): string => `
function setup() {
  background(255);
  const values = [${values}];
  values.forEach((value, i) => { fill(0); textSize(20); text(String(value).slice(0, 90), 10, 40 + i * 30); });
}`;

/** Every known source of randomness, time and machine facts in a page: one picture, or a clear error. */
const SOURCES: Readonly<Record<string, string>> = {
  chance: 'random(), randomGaussian(), noise(1.5), Math.random(), random([1, 2, 3]), shuffle([1, 2, 3, 4])',
  'the frame clock': 'millis(), frameCount, t, time, deltaTime',
  'a date that is named':
    'new Date(0), new Date(2020, 1, 2, 3), Date.UTC(2020, 1), Date.parse("2020-01-01"), new Date(1e12).toLocaleString(), new Date(1e12).getTimezoneOffset()',
  locale: '(1234567.891).toLocaleString(), "a".localeCompare("b"), "I".toLocaleLowerCase()',
  'transcendental functions':
    'Math.sin(1e22), Math.tan(1.1), Math.pow(1.0000001, 1e7), Math.exp(1.1), Math.expm1(1e-9), Math.cbrt(3), Math.hypot(1, 2, 3)',
  'text metrics': 'textWidth("The quick brown fox"), textAscent(), drawingContext.measureText("x").width',
  'stack traces': 'new Error("x").stack.split("\\n").length, Object.keys(globalThis).length',
  order: 'Object.keys({ b: 1, a: 2, 1: 3 }), [3, 1, 2].sort(), [..."héllo"].reverse().join("")',
};

const SHOW = 'const show = (value) => { background(255); fill(0); textSize(40); text(String(value), 10, 100); };';
const TICKS = (next: string): string =>
  `${SHOW} let ticks = 0; function tick() { ticks++; ${next} } tick(); function draw() { show(ticks); }`;

/** Ways to be called again, or answered otherwise, when the machine has time: a sketch that counts them has a clock. */
const LATER_TURNS: Readonly<Record<string, string>> = {
  'fragments of the address, of which the browser sets only some per ten seconds': `${SHOW} function draw() { let set = 0; while (set < 500) { location.hash = set; if (location.hash !== '#' + set) break; set++; } show(set); }`,
  'a fragment that is set back': `${SHOW} location.hash = 'a'; location.hash = ''; function draw() { show(location.href); }`,
  'an address that runs': TICKS("location = 'javascript:void tick()';"),
  'an import that a policy refuses': TICKS("import('data:text/javascript,' + ticks).catch(tick);"),
  'an import that the browser refuses before any policy': TICKS("import('file:///' + ticks).catch(tick);"),
};

describeWithBrowser('One sketch, one picture', () => {
  let renderer: RendererUnderTest;
  beforeAll(async () => {
    renderer = await startRenderer();
  });
  afterAll(async () => {
    await renderer.close();
  });

  const everything = Object.values(SOURCES).map(DRAWN);
  const hashes = async (sketches: readonly string[]): Promise<unknown[]> => {
    const answers = await Promise.all(sketches.map((code) => renderer.still(code)));
    return answers.map(({ status, body }) => (status === 200 ? body['pixelHash'] : body));
  };

  it('with every source of time, chance and machine, across restarts', async () => {
    const first = await hashes(everything);
    expect(first.filter((hash) => typeof hash !== 'string')).toEqual([]);
    for (let restart = 0; restart < RESTARTS; restart++) {
      expect(await hashes(everything)).toEqual(first);
      await (await renderer.engine.host.current()).kill();
    }
    expect(await hashes(everything)).toEqual(first);
  });

  it(`the same over ${RENDERS} renders`, async () => {
    const code = DRAWN(SOURCES['chance'] ?? '');
    const all = new Set<unknown>();
    for (let done = 0; done < RENDERS; done += 2) for (const hash of await hashes([code, code])) all.add(hash);
    expect(all.size).toBe(1);
  });

  it('another with another seed or another variable', async () => {
    const code = 'function setup() { background(VAR[3]); circle(random(width), 5, 90); }';
    const pictures = await Promise.all(
      [{}, { seed: 'other' }, { vars: [0, 0, 0, 1] }].map((more) => renderer.still(code, more)),
    );
    expect(new Set(pictures.map(({ body }) => body['pixelHash'])).size).toBe(3);
  });

  it('in a loop too: the same frames twice', async () => {
    const code =
      'function draw() { background(200); rotate(t); fill(random(255)); rect(noise(time) * width, frameCount * 9, 300, 90); text(millis(), 50, 50); }';
    const loop = () => renderer.post('/loop', { tenantId: 't', code, totalFrames: 12, frameHashes: true });
    const [first, second] = [await loop(), await loop()];
    expect(first.status).toBe(200);
    expect(second.body['frameHashes']).toEqual(first.body['frameHashes']);
  });

  it.each(Object.entries(LATER_TURNS))('and no turn to count: %s', async (_name, code) => {
    const refused = { status: 400, body: { error: 'PROTOCOL_VIOLATION' } };
    expect(await renderer.still(code)).toMatchObject(refused);
    expect(await renderer.post('/loop', { tenantId: 't', code, totalFrames: 8 })).toMatchObject(refused);
  });

  it.each(['portable', 'chromium-native'])('without a filter that names an address: %s', async (engine) => {
    const frames = async (filter: string): Promise<unknown> => {
      const code = `${SHOW} function draw() { drawingContext.filter = '${filter}'; show(frameCount); }`;
      const order = { tenantId: 't', code, engine, totalFrames: 8, frameHashes: true };
      const { status, body } = await renderer.post('/loop', order);
      return status === 200 ? body['frameHashes'] : body;
    };
    const plain = await frames('none');
    expect(plain).toHaveLength(8);
    for (const address of ['http://127.0.0.1/a.svg#b', '#b']) expect(await frames(`url(${address})`)).toEqual(plain);
    // The browser loads it at a time that depends on the machine; the portable engine loads nothing.
    const refused = expect.objectContaining({ error: 'PROTOCOL_VIOLATION' });
    expect(await frames('url(data:image/svg+xml,<svg/>#b)')).toEqual(engine === 'portable' ? plain : refused);
  });

  it('without a page too: names that no script can take from a page', async () => {
    const code = `${SHOW} var top = 5; function setup() {
      window.level = 5;
      const names = [window, top, window.window].every((found) => found === globalThis) && Object.keys(globalThis).join();
      let sum = 0;
      for (const letter of names) sum = (sum * 31 + letter.charCodeAt(0)) % 1e6;
      const { href, origin, protocol, host, hostname, port, pathname, search, hash } = location;
      show([sum, level, href, origin, protocol, host, hostname, port, pathname, search, hash, location, Object.keys(document)]);
      text([document.location === location, document.title, typeof document, typeof self, location.ancestorOrigins.length], 10, 200);
    }`;
    const { body } = await renderer.still(code, { seed: '' });
    const { bytes: engine } = await readInstalledEngine();
    const input = { seed: seedNumber(''), vars: Array.from({ length: 10 }, () => 0), totalFrames: 1, fps: 30 };
    const limits = { timeMs: 120_000, memoryBytes: 2 ** 31 };
    const drawn = await redraw({ code, input, engine, limits, allowNetwork: true });
    expect(drawn).toMatchObject({ kind: 'picture', outputHash: String(body['pixelHash']).slice('sha256:'.length) });
  });

  it('under equal global names on every page', async () => {
    const code = `${SHOW} let names; Object.defineProperty(globalThis, 'draw', { get() { names = Object.keys(globalThis); return () => { show(names.at(-1)); }; } });`;
    expect(new Set(await hashes([code, code, code])).size).toBe(1);
  });
});
