import { afterEach, expect, it } from '@jest/globals';
import { tmpdir } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { encodeMessage } from '../browser/cdp-messages.js';
import { launchBrowser, type Browser } from '../browser/launch.js';
import { guardPage } from './page-guard.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const PAGES = 10;
let browser: Browser | undefined;
afterEach(async () => {
  await browser?.kill();
});

/** A program that states its version and stays. */
function launched(): Promise<Browser> {
  const version = Buffer.concat(encodeMessage({ id: 1, result: { product: 'Chrome/1.2' }, params: {} }));
  const script = `require('fs').writeSync(4, Buffer.from('${version.toString('hex')}', 'hex')); setInterval(() => {}, 1000)`;
  return launchBrowser({
    binary: { path: '/opt/chromium', source: 'environment', digest: '' },
    jail: { kind: 'none', uid: 0, prefix: [process.execPath, '-e', script], flags: [] },
    stage: {
      fonts: { configFile: '', digest: '' },
      makeHome: () => tmpdir(),
      removeHome: () => undefined,
      remove: () => undefined,
    },
  });
}

function guarded(running: Browser, onGone: () => void) {
  return guardPage({
    ...{ browser: running, sessionId: 's', targetId: 't', onGone },
    send: async () => ({}),
    answers: new Map(),
  });
}

function guardedAndStopped(running: Browser): WeakRef<object> {
  const onGone = (): void => undefined;
  guarded(running, onGone).stop();
  return new WeakRef(onGone);
}

it('A stopped guard leaves nothing of its page with the browser', async () => {
  browser = await launched();
  const running = browser;
  const pages = Array.from({ length: PAGES }, () => guardedAndStopped(running));
  // A reference that was read lives until the end of its turn.
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  expect(pages.filter((page) => page.deref() !== undefined)).toHaveLength(0);
  expect(browser.isRunning()).toBe(true);
});

it('A guard reports the end of its browser', async () => {
  browser = await launched();
  const running = browser;
  const gone = new Promise<void>((resolve) => {
    guarded(running, resolve);
  });
  await browser.kill();
  await gone;
});
