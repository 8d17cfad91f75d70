import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { Team } from '../../src/cores/team.js';
import { openAlerts } from '../../src/start/open-alerts.js';
import type { AlertState, Store } from '../../src/store/index.js';
import { startTestNode, type TestNode } from '../test-node.js';

let node: TestNode;
let folder: string;
beforeEach(async () => {
  node = await startTestNode();
  folder = mkdtempSync(join(tmpdir(), 'cer-alerts-'));
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const content = { endpoints: [{ name: 'ops', url: 'http://127.0.0.1:9/', secrets: [secret] }] };
  writeFileSync(join(folder, 'alerts.json'), JSON.stringify(content), { mode: 0o600 });
});
afterEach(async () => {
  await node.close();
  rmSync(folder, { recursive: true });
});

it.each([
  ['says so', [{ reasons: ['signer: is not available'], warnings: [] }], 0],
  ['is silent', [], 1],
])('a ready worker reports that another one %s', async (_, ofOther, silent) => {
  const team: Pick<Team, 'gather' | 'size'> = {
    size: 2,
    gather: async () => ({ answers: [{ reasons: [], warnings: [] }, ...ofOther], silent, missing: 0 }),
  };
  let running: { readonly stop: () => Promise<void> } | undefined;
  const changed = new Promise<AlertState>((resolve) => {
    const { store, secrets, signing, now, logger, keys, restored } = node.deps;
    const alerts: Store['alerts'] = new Proxy(store.alerts, {
      get: (target, name: keyof Store['alerts']) =>
        name === 'change'
          ? async (...args: Parameters<Store['alerts']['change']>) => {
              resolve(args[0]);
              return target.change(...args);
            }
          : target[name].bind(target),
    });
    const config = { alertsFile: join(folder, 'alerts.json'), alertsAllowPrivate: true, tenantWebhooks: null };
    running = openAlerts({
      ...{ config, secrets, signing, team, now, logger },
      store: { ...node.store, alerts },
    })?.start({ keys, restored, log: null, asksAuthorities: false });
  });
  await expect(changed).resolves.toMatchObject({ type: 'node.not_ready', subject: hostname(), isFiring: true });
  await running?.stop();
});
