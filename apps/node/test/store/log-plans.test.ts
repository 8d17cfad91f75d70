import { expect, it } from '@jest/globals';
import { sqliteTestDatabase } from '@cer/sql-store/testing';

import { openStore } from '../../src/store/index.js';
import { LEAF_OF } from '../../src/store/sql/log.js';

// Without statistics SQLite would take every leaf of a source first: the time of a proof would grow with the log.
it.each(Object.entries(LEAF_OF))('finds the leaf of a %s by an index', async (_, sql) => {
  const database = await sqliteTestDatabase();
  await (await openStore({ databaseUrl: database.url, queueLimit: 1 })).close();
  const plan = await database.query(`explain query plan ${sql.replaceAll(/\$\d/g, "'a'")}`);
  const searches = plan.map(({ detail }) => String(detail)).filter((step) => /^(SEARCH|SCAN)/.test(step));
  expect(searches).toEqual([
    expect.stringMatching(/^SEARCH [rp] USING .*INDEX \w+ \(.*_hash=\?/),
    'SEARCH l USING INDEX log_leaves_source (source=? AND source_seq=?)',
  ]);
  await database.remove();
});
