import { afterAll, expect, it } from '@jest/globals';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve, silentLogger } from '@cer/http-service/process';
import { createApp } from '../../src/app.js';
import { createBrowserHost } from '../../src/browser/browser-host.js';
import { encodeMessage, type CdpParams } from '../../src/browser/cdp-messages.js';
import { chooseJail } from '../../src/browser/jail.js';
import { fileDigest, resolveBrowser } from '../../src/browser/resolve.js';
import { startEngine } from '../../src/engine.js';
import { keepStarting } from '../../src/keep-starting.js';
import { eventually, startRenderer, testConfig } from '../renderer-under-test.js';
import { describeWithBrowser } from '../with-browser.js';

const logger = silentLogger();

/** The answer to a call as printf writes it. */
function printed(answer: CdpParams): string {
  const bytes = Buffer.concat(encodeMessage({ ...answer, params: {} }));
  return [...bytes].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}

describeWithBrowser('A start of the browser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cer-launches-'));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('ends the browser when its confinement cannot be checked', async () => {
    chmodSync(folder, 0o755);
    const path = join(folder, 'browser');
    // States its version, refuses the next call, and continues to run.
    writeFileSync(
      path,
      `#!/bin/sh
answer() { dd bs=65536 count=1 <&3 >/dev/null 2>&1; printf "$1" >&4; }
answer '${printed({ id: 1, result: { product: 'Chrome/1.2' } })}'
answer '${printed({ id: 2, error: { message: 'not now' } })}'
exec sleep 60
`,
    );
    chmodSync(path, 0o755);
    const removed: string[] = [];
    const host = createBrowserHost({
      binary: { path, source: 'environment', digest: await fileDigest(path) },
      jail: chooseJail({ uid: testConfig().chromiumUid, allowUnsandboxed: false }),
      stage: {
        fonts: { configFile: '', digest: '' },
        makeHome: () => folder,
        // Once the browser has ended.
        removeHome: (home) => {
          removed.push(home);
        },
        remove: () => undefined,
      },
      logger,
      maxBrowserBytes: 2 ** 30,
    });
    await expect(host.current()).rejects.toThrow('Target.createBrowserContext: not now');
    expect(removed).toEqual([folder]);
    await host.close();
  });

  it('is refused once its file was replaced', async () => {
    chmodSync(folder, 0o755);
    const path = join(folder, 'replaced');
    const installed = await resolveBrowser(testConfig().chromiumPath);
    const install = (comment: string): void => {
      writeFileSync(path, `#!/bin/sh\n# ${comment}\nexec ${installed.path} "$@"\n`);
      // Not a mode of the file: the umask of the tests may take it from the browser's own user.
      chmodSync(path, 0o755);
    };
    install('one release');
    const renderer = await startRenderer({ CHROMIUM_PATH: path });
    const ready = async () => {
      const response = await fetch(`${renderer.url}/ready`);
      return { status: response.status, body: await response.text() };
    };
    try {
      const first = await renderer.engine.host.current();
      expect(await ready()).toMatchObject({ status: 200 });
      install('the next release');
      await first.kill();
      expect(await renderer.still('function setup() { background(9); }')).toMatchObject({
        status: 503,
        body: { error: 'RENDERER_UNAVAILABLE' },
      });
      expect(await ready()).toEqual({
        status: 503,
        body: expect.stringContaining('was replaced while the renderer ran: start the renderer again'),
      });
      expect(renderer.engine.host.launches).toBe(1);
    } finally {
      await renderer.close();
    }
  });

  it('is repeated after a first one that failed', async () => {
    let endPause = (): void => undefined;
    const paths: Readonly<Record<string, string>>[] = [{ CHROMIUM_PATH: '/bin/false' }];
    const engine = await keepStarting(() => startEngine(testConfig(paths.shift()), logger), {
      logger,
      pause: () =>
        new Promise<void>((resolve) => {
          endPause = resolve;
        }),
    });
    const app = createApp({ config: testConfig(), logger, engine: engine.current });
    const server = await serve(app, { host: '127.0.0.1', port: 0, logger, onClose: engine.close });
    const ready = (): Promise<Response> => fetch(`${server.url}/ready`);
    const refused = await ready();
    expect([refused.status, await refused.json()]).toEqual([
      503,
      { ready: false, reason: expect.stringMatching(/^Chromium did not start/) },
    ]);
    endPause();
    await eventually('it is ready', async () => (await ready()).ok);
    await server.close();
  });
});
