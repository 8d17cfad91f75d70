import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { sha256 } from '@cer/cer-core';

import { wrappedVariant, type BrowserVariant } from '../../../scripts/test/machines/browser-variants.mjs';
import { ask, at, textAt, type Answer } from './ask.js';
import { startRenderingNode, type RenderingNode } from './renderer-process.js';

// Pictures of one machine on two others: the same program that draws in another way, and an older browser.

const NO_BROWSER = process.env['CER_TEST_NO_BROWSER'] ?? '';
const BROWSER = process.env['CER_TEST_BROWSER'] ?? '';
const OLDER_BROWSER = process.env['CER_TEST_OLDER_BROWSER'] ?? '';
const GALLERY = join(__dirname, '../../../examples/sketches');
const CODE =
  readFileSync(join(GALLERY, 'tree.js'), 'utf8') +
  "\nfunction draw() { fill(30); textSize(31.7); text('Another machine', 90.3, 2300); }";
/** The same program draws as on another machine: Skia chooses its code by the processor, glyphs are fitted to pixels. */
const CHANGES = `if [ -e "$0.changed" ]; then
  for flag do shift; [ "$flag" = --disable-skia-runtime-opts ] || set -- "$@" "$flag"; done
  set -- "$@" --font-render-hinting=full
fi`;

const OTHER_PICTURE = sha256('another picture');

type Place = 'here' | 'changed' | 'older';

describe('A render that another machine certified', () => {
  let browser: BrowserVariant | undefined;
  const nodes = new Map<Place, RenderingNode>();
  const certified = new Map<string, Answer>();

  const verify = (place: Place, engine: object, more: object = {}): Promise<Answer> => {
    const there = nodes.get(place);
    if (there === undefined) throw new Error(`no node ${place}`);
    const snapshot = { code: CODE, seed: 'elsewhere', vars: [], ...engine };
    return ask(there.node, 'post', '/verify', { key: there.key, body: { snapshot, ...more } });
  };
  /** Asks another machine about the certificate of this one, as its holder would. */
  const judgedAt = (place: Place, name: string, expectedHash?: string): Promise<Answer> => {
    const body = certified.get(name)?.body;
    const engine = { engine: at(body, 'cer', 'snapshot', 'engine') };
    const rendererVersion = textAt(body, 'cer', 'snapshot', 'rendererVersion');
    return verify(
      place,
      { ...engine, rendererVersion },
      {
        expectedHash: expectedHash ?? textAt(body, 'cer', 'snapshot', 'outputHash'),
      },
    );
  };

  beforeAll(async () => {
    if (NO_BROWSER !== '') return;
    browser = wrappedVariant(BROWSER, { before: CHANGES });
    nodes.set('here', await startRenderingNode(browser.path));
    closeSync(openSync(`${browser.path}.changed`, 'w'));
    nodes.set('changed', await startRenderingNode(browser.path));
    if (OLDER_BROWSER !== '') nodes.set('older', await startRenderingNode(OLDER_BROWSER));
    for (const engine of ['portable', 'chromium-native']) certified.set(engine, await verify('here', { engine }));
  });
  afterAll(async () => {
    for (const each of nodes.values()) await each.close();
    browser?.remove();
  });

  const each = async (name: string, expectedHash?: string): Promise<readonly (readonly [Place, Answer])[]> =>
    Promise.all([...nodes.keys()].map(async (place) => [place, await judgedAt(place, name, expectedHash)] as const));

  if (NO_BROWSER !== '') {
    it('is not judged: no browser', () => {
      process.stderr.write(`not run: renders on other machines: ${NO_BROWSER}\n`);
      expect(nodes.size).toBe(0);
    });
    return;
  }

  it('comes from machines that draw in different ways', async () => {
    const versions = (await each('portable')).map(([, { body }]) => textAt(body, 'metadata', 'rendererVersion'));
    expect(versions.length).toBeGreaterThanOrEqual(2);
    expect(new Set(versions).size).toBe(versions.length);
  });

  it('is verified on every machine by the portable engine', async () => {
    for (const answer of await each('portable'))
      expect(answer).toMatchObject([
        expect.any(String),
        { status: 200, body: { verified: true, hashMatchType: 'pixels' } },
      ]);
  });

  it('is found different on every machine by the portable engine', async () => {
    for (const answer of await each('portable', OTHER_PICTURE))
      expect(answer).toMatchObject([expect.any(String), { status: 200, body: { verified: false } }]);
  });

  it("is verified only where the browser's canvas drew it", async () => {
    for (const [place, answer] of await each('chromium-native'))
      expect([place, answer]).toMatchObject([
        place,
        place === 'here'
          ? { status: 200, body: { verified: true } }
          : { status: 422, body: { error: 'CANNOT_BE_JUDGED', message: expect.stringContaining('rendererVersion') } },
      ]);
  });

  it("is found different only where the browser's canvas drew it", async () => {
    for (const [place, answer] of await each('chromium-native', OTHER_PICTURE))
      expect([place, answer]).toMatchObject([
        place,
        place === 'here'
          ? { status: 200, body: { verified: false } }
          : { status: 422, body: { error: 'CANNOT_BE_JUDGED' } },
      ]);
  });
});
