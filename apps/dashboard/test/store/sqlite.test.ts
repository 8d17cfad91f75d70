import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { sqliteTestDatabase } from '@cer/sql-store/testing';
import { describe, expect, it } from '@jest/globals';
import { openStore } from '../../src/store/index.js';
import { storeContract } from './store.contract.js';

describe('the store on SQLite', () => {
  storeContract(sqliteTestDatabase);

  it('has files readable by its owner only', async () => {
    const { url, remove } = await sqliteTestDatabase();
    const { store } = await openStore({ databaseUrl: url });
    const path = url.slice('sqlite:'.length);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    for (const name of [path, `${path}-wal`]) expect(statSync(name).mode & 0o777).toBe(0o600);
    await store.close();
    await remove();
  });

  it.each(['sqlite:', 'sqlite::memory:', 'mysql://u:canary@h/d', 'sqlite:/dev/null/canary.db'])(
    'refuses a database that is not durable: %s',
    async (databaseUrl) => {
      const error: unknown = await openStore({ databaseUrl }).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: expect.stringMatching(/^STORE_(URL_INVALID|UNAVAILABLE)$/) });
      expect(String(error)).not.toContain('canary');
    },
  );
});
