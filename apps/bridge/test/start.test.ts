import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database } from '@cer/sql-store';
import { expect, it } from '@jest/globals';
import { startBridge } from '../src/start-bridge.js';
import { openStore } from '../src/store/index.js';

it('a starting bridge removes expired rows', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cer-bridge-start-'));
  const databaseUrl = `sqlite:${join(folder, 'bridge.sqlite')}`;
  const tokenFile = join(folder, 'service-token');
  writeFileSync(tokenFile, 'service-token-of-the-tests', { mode: 0o600 });
  const long = new Date('2026-01-02T03:04:05.678Z');
  const store = await openStore({ databaseUrl, now: () => long });
  await store.sessions.startOnce(
    { issuer: 'issuer', jti: 'jti', expiresAt: long },
    {
      tokenHash: 'hash',
      tenantId: 'tenant',
      tenantName: 'Tenant',
      user: { id: 'user', email: 'a@example.com', name: 'A' },
      lastSignOutAt: null,
      expiresAt: long,
      replaces: null,
    },
  );
  await store.close();
  const server = await startBridge({
    PORT: '0',
    LOG_LEVEL: 'silent',
    PUBLIC_URL: 'http://127.0.0.1:4300',
    NODE_URL: 'http://127.0.0.1:9',
    CONTROL_PLANE_URL: 'http://127.0.0.1:9',
    CONTROL_PLANE_TOKEN_FILE: tokenFile,
    DATABASE_URL: databaseUrl,
  });
  const database = new Database(databaseUrl);
  const left = async (): Promise<number> =>
    database.run(async (db) => {
      const sessions: readonly unknown[] = await db('sessions').select();
      const tokens: readonly unknown[] = await db('consumed_tokens').select();
      return sessions.length + tokens.length;
    });
  while ((await left()) > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await left()).toBe(0);
  await database.close();
  await server.close();
  rmSync(folder, { recursive: true });
});
