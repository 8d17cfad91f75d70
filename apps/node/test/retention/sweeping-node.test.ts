import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect, it } from '@jest/globals';

import { runCommand } from '../../src/commands/run-command.js';
import { startNode } from '../../src/start/start-node.js';
import { openStore } from '../../src/store/index.js';
import { newRecord } from '../store/new-record.js';

it('a node sweeps from its start', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cer-sweeping-'));
  const databaseUrl = `sqlite:${join(folder, 'node.sqlite')}`;
  const [due, kept] = ['swept', 'kept'].map((tenantId) =>
    newRecord({ tenantId, attestedAt: '2024-01-01T00:00:00.000Z' }),
  );
  const before = await openStore({ databaseUrl, queueLimit: 10 });
  for (const record of [due, kept]) if (record !== undefined) await before.records.recordOnce(record);
  await before.tenantSettings.set('swept', 'node', { retentionDays: 1 });
  await before.close();

  // The store has records, so the node does not create keys.
  const files = { KEYS_FILE: join(folder, 'keys.json'), COMMITMENT_SECRET_FILE: join(folder, 'secrets.json') };
  const env = { DATABASE_URL: databaseUrl, ...files, PORT: '0', LOG_LEVEL: 'silent' };
  await runCommand(['init'], env, () => undefined);
  const node = await startNode(env);
  const watching = await openStore({ databaseUrl, queueLimit: 10 });
  while ((await watching.records.findByHash(due?.certificateHash ?? '')) !== null) await sleep(20);
  await watching.close();
  await node.close();

  const after = await openStore({ databaseUrl, queueLimit: 10 });
  expect(await after.records.findByHash(kept?.certificateHash ?? '')).not.toBeNull();
  const [entry] = await after.audit.after(0, 1);
  expect(JSON.parse(entry?.entryJson ?? '{}')).toMatchObject({ act: 'records.retention', target: 'swept' });
  await after.close();
  rmSync(folder, { recursive: true });
});
