import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { describe, expect, it } from '@jest/globals';
import { sqliteTestDatabase } from '@cer/sql-store/testing';

import { openStore } from '../../src/store/index.js';
import { RECORD_LOOKUPS } from '../../src/store/sql/records.js';
import { RETENTION_LOOKUPS } from '../../src/store/sql/retention.js';
import { newRecord } from './new-record.js';
import { storeContract } from './store.contract.js';
import { WAYS_OF_WRITING } from './writer-thread.js';

describe.each(WAYS_OF_WRITING)('the store on SQLite, which writes %s,', (_name, options) => {
  storeContract(sqliteTestDatabase, options);

  it('makes its files private', async () => {
    const { path, url, remove } = await sqliteTestDatabase();
    const store = await openStore({ databaseUrl: url, queueLimit: 1, ...options });
    await store.records.recordOnce(newRecord());
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    const files = readdirSync(dirname(path));
    expect(files.toSorted()).toEqual(['test.sqlite', 'test.sqlite-shm', 'test.sqlite-wal']);
    for (const name of files) expect(statSync(join(dirname(path), name)).mode & 0o777).toBe(0o600);
    await store.close();
    await remove();
  });

  it('uses small pages and a write-ahead log', async () => {
    const { url, query, remove } = await sqliteTestDatabase();
    await (await openStore({ databaseUrl: url, queueLimit: 1, ...options })).close();
    expect(await query('pragma page_size')).toEqual([{ page_size: 4096 }]);
    expect(await query('pragma journal_mode')).toEqual([{ journal_mode: 'wal' }]);
    await remove();
  });

  it('looks up records by index only', async () => {
    const { url, query, remove } = await sqliteTestDatabase();
    await (await openStore({ databaseUrl: url, queueLimit: 1, ...options })).close();
    for (const lookup of [...RECORD_LOOKUPS, ...RETENTION_LOOKUPS]) {
      const plan = await query(`explain query plan ${lookup.replaceAll(/\$\d+/g, '1')}`);
      const steps = plan.map(({ detail }) => String(detail)).filter((step) => /^(SEARCH|SCAN) (?!found$)/.test(step));
      expect(steps).not.toEqual([]);
      for (const step of steps) expect(step).toMatch(/^SEARCH .* USING ((COVERING )?INDEX|INTEGER PRIMARY KEY)/);
    }
    await remove();
  });

  it.each(['sqlite:', 'sqlite::memory:', 'mysql://u:canary@h/d', 'canary'])(
    'refuses URLs without a durable database: %s',
    async (databaseUrl) => {
      const error: unknown = await openStore({ databaseUrl, queueLimit: 1, ...options }).catch(
        (reason: unknown) => reason,
      );
      expect(error).toMatchObject({ code: 'STORE_URL_INVALID' });
      expect(String(error)).not.toContain('canary');
    },
  );

  it('reports an unusable file without its path', async () => {
    const error: unknown = await openStore({
      databaseUrl: 'sqlite:/dev/null/canary.db',
      queueLimit: 1,
      ...options,
    }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(String(error)).not.toContain('canary');
  });
});
