import { describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database } from '../src/store/database.js';
import { openStore } from '../src/store/index.js';

describe('an SQLite file that another process writes to', () => {
  it('is waited for, other work going on meanwhile', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cer-bridge-busy-'));
    const databaseUrl = `sqlite:${join(folder, 'bridge.sqlite')}`;
    const store = await openStore({ databaseUrl });
    const other = new Database(databaseUrl);
    const writing = await other.knex.transaction();
    await writing.raw('delete from schema_versions where version < 0');
    let turns = 0;
    const counting = setInterval(() => {
      turns += 1;
    }, 10);
    const taking = store.limits.takeRequest('tenant', '2026-03-04T05:06', 10);
    // One look at the file takes most of this on a busy machine.
    do await new Promise((resolve) => setTimeout(resolve, 600));
    while (turns < 2);
    clearInterval(counting);
    await writing.commit();
    expect(await taking).toBe(true);
    expect(turns).toBeGreaterThan(1);
    await other.close();
    await store.close();
    rmSync(folder, { recursive: true });
  });
});
