import { expect, it } from '@jest/globals';
import { preparedPlanFaults, sqliteTestDatabase, type ReadsMany } from '@cer/sql-store/testing';

import { openStore } from '../../src/store/index.js';
import { ROWS } from '../security/caller-table.js';
import { populatedNode } from './populated-node.js';

// Rows are counted on PostgreSQL (routes.test.ts). SQLite chooses other indexes: its plans are read.

/** Alone, none of these finds few rows: the values are few, or one caller has one of them. */
const FEW_VALUES = new Set([
  ...['tenant_id', 'log_id', 'source', 'state', 'kind', 'visibility', 'bundle_type', 'type', 'endpoint', 'done'],
  ...['model', 'provider', 'protocol_version', 'app_id'],
]);

const READS_MANY: ReadsMany = [
  [/^SCAN coverage_position/, 'one row'],
  [/^SCAN (signing_keys|signing_nodes|log_keys)\b/, 'one row for each signing key, process or log'],
  [/^SCAN v: select v.version/, 'one row for each migration'],
  [/^SCAN d USING COVERING INDEX log_deletions_open/, 'what is not done yet'],
  [/^SCAN log_leaves USING INDEX log_leaves_pending/, 'what is not done yet'],
  [/^SEARCH \w+ USING .*(tenants|tenant_settings)_1 /, 'one or two rows of a tenant'],
  [/^SEARCH \w+ USING INDEX api_keys_tenant/, 'all keys of a tenant, which are listed'],
  [/^SEARCH alert_deliveries .*: delete from alert_deliveries where/, 'all messages of a webhook that is removed'],
  [/^SEARCH alert_deliveries USING .*alert_deliveries_waiting/, 'a limited number of an endpoint'],
  [/^SEARCH c USING COVERING INDEX coverage_counts_app .*exists \(select 1/, 'the first of them'],
  [/^SEARCH webhooks USING /, 'a limited number of a tenant'],
  [/^SEARCH log_trees USING INDEX log_trees_tenant/, 'a tree of each tenant, for an epoch'],
  [/^SEARCH h USING INDEX sqlite_autoindex_log_epoch_heads_1/, 'a head of each tenant, for an epoch'],
  [/^SEARCH log_notes USING .*order by size desc limit 1$/, 'the first of its order'],
];

it('finds few rows of each table on SQLite', async () => {
  const database = await sqliteTestDatabase();
  const rules = { fewValues: FEW_VALUES, readsMany: READS_MANY };
  const faults = await preparedPlanFaults(database.query, rules, async () => {
    const node = await populatedNode(2, database);
    for (const row of ROWS) await node.send(row);
    return node;
  });
  expect(faults).toEqual([]);
});

// Every process asks four times per minute, and the reports of producers stay.
it('finds new dead letters in few rows on SQLite', async () => {
  const database = await sqliteTestDatabase();
  const store = await openStore({ databaseUrl: database.url, queueLimit: 1 });
  const faults = await preparedPlanFaults(database.query, { fewValues: FEW_VALUES, readsMany: [] }, async () => {
    await store.coverage.deadLetters('2026-01-01');
    return { close: () => store.close() };
  });
  expect(faults).toEqual([]);
  await database.remove();
});
