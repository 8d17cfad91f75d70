import { afterAll, afterEach, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeMessage } from './cdp-messages.js';
import { launchBrowser, type Browser } from './launch.js';
import { processGroup } from './processes.js';
import type { Stage } from './stage.js';

const folder = mkdtempSync(join(tmpdir(), 'cer-launch-'));
let browser: Browser | undefined;
afterEach(async () => {
  await browser?.kill();
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** A program that states its version, then sends `next` and stays. */
function programThatSends(next: Buffer): string {
  const version = Buffer.concat(encodeMessage({ id: 1, result: { product: 'Chrome/1.2' }, params: {} }));
  const path = join(folder, 'browser.mjs');
  const bytes = Buffer.concat([version, next]).toString('hex');
  writeFileSync(
    path,
    `import { writeSync } from 'node:fs';
    writeSync(4, Buffer.from('${bytes}', 'hex'));
    setInterval(() => undefined, 1000);`,
  );
  return path;
}

const STAGE: Stage = {
  fonts: { configFile: '', digest: '' },
  makeHome: () => folder,
  removeHome: () => undefined,
  remove: () => undefined,
};

it.each([
  ['exit 0', /chromium ended with code 0 before it answered\. It wrote nothing: check that the path names a Chromium$/],
  ['echo "no display" >&2; exit 3', /chromium ended with code 3 before it answered\. It wrote: no display$/],
])('A program that is no browser is named with its end: %j', async (script, message) => {
  await expect(
    launchBrowser({
      binary: { path: '/opt/chromium', source: 'environment', digest: '' },
      jail: { kind: 'none', uid: 0, prefix: ['/bin/sh', '-c', script], flags: [] },
      stage: STAGE,
    }),
  ).rejects.toThrow(message);
});

it('A browser that sends other bytes is ended', async () => {
  browser = await launchBrowser({
    binary: { path: programThatSends(Buffer.from('other bytes')), source: 'environment', digest: '' },
    jail: { kind: 'none', uid: 0, prefix: [process.execPath], flags: [] },
    stage: STAGE,
  });
  expect(browser.version).toBe('1.2');
  await browser.ended;
  expect(processGroup(browser.pid)).toEqual([]);
});
