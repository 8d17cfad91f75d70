import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { auditPage } from '@cer/test-browser';
import { describeInChromium } from './chromium.js';
import { BYTE_ORDER_MARK, unpackVectors, type Vector } from './vectors.js';
import { WEB_BUILD_FOLDER } from './verifier-under-test.js';

// Every kind of failure that a vector knows, as a person meets it in the offline file.

const folder = mkdtempSync(join(tmpdir(), 'cer-vectors-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** The first vector of each code, and one whose text is refused before it is read. */
const KINDS: readonly (readonly [string, Vector])[] = [
  ...new Map(
    [...unpackVectors(folder)]
      .reverse()
      .filter(({ name }) => name !== BYTE_ORDER_MARK)
      .flatMap((vector) =>
        vector.refused === undefined && vector.code !== undefined && vector.status === 'FAILED'
          ? [[vector.code, vector] as const]
          : vector.refused === undefined
            ? []
            : [['SCHEMA_ERROR, refused text', vector] as const],
      ),
  ),
];

it('has a vector for most codes', () => {
  expect(KINDS.length).toBeGreaterThan(15);
});

describeInChromium('each kind of failure', (chromium) => {
  beforeAll(() => chromium.start());
  afterAll(() => chromium.stop());

  it.each(KINDS)('%s: is never green, and names code and next step', async (kind, vector) => {
    const watched = await chromium.open();
    await watched.page.setOfflineMode(true);
    await watched.page.goto(pathToFileURL(join(WEB_BUILD_FOLDER, 'offline.html')).href);
    await watched.page.waitForSelector('#artefact-file');
    if (vector.keySetPath !== null) {
      await watched.upload('#key-set-file', vector.keySetPath);
      await watched.page.waitForSelector('#confirm-keys');
      await watched.page.click('#confirm-keys');
    }
    await watched.upload('#artefact-file', vector.bundlePath);
    const [code = ''] = kind.split(',');
    await watched.page.waitForSelector(`.result[data-code="${code}"]`);
    expect(await watched.attribute('.result [data-verdict]', 'data-tone')).toMatch(/^(?:bad|unknown)$/);
    expect(await watched.text('.result .findings')).toContain(code);
    expect(await watched.page.$$eval('.next-steps li', (steps) => steps.length)).toBeGreaterThan(0);
    await auditPage(watched.page, `failure-${code.toLowerCase()}${kind === code ? '' : '-refused'}`);
    expect(watched.complaints).toEqual([]);
    await watched.close();
  });
});
