import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { afterEach, describe, expect, it } from '@jest/globals';
import { Secret } from '@cer/http-service/config';
import { postgresTestDatabase, sqliteTestDatabase, type TestDatabase } from '@cer/sql-store/testing';

import { createAuditLog } from '../../src/audit-log/audit-log.js';
import { sweep } from '../../src/retention/sweep.js';
import { ask } from '../ask.js';
import { until } from '../timestamps/timestamping-node.js';
import { loggingNode, type LoggingNode } from './logging-node.js';

// The remains of a deleted leaf in the files of a database: a page that still holds its seed would open the leaf.

const ADMIN_SECRET = 'secret of the test administrator';
const DAY_MS = 86_400_000;
const APP = `app-${randomUUID()}`;

/** A new database, and how to read all bytes of its files. */
interface Premises {
  readonly database: TestDatabase;
  readonly bytes: () => Promise<string>;
  /** Further steps of an operator, after which the files keep nothing; docs/spec.md, "Retention". */
  readonly rewrite: (node: LoggingNode) => Promise<void>;
}

/** The file, its write-ahead log and the log's index. */
async function onSqlite(): Promise<Premises> {
  const database = await sqliteTestDatabase();
  const folder = dirname(database.path);
  const bytes = async (): Promise<string> =>
    readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), 'latin1'))
      .join('');
  return { database, bytes, rewrite: async () => undefined };
}

/** The files of all tables and indexes of the database. */
async function onPostgres(): Promise<Premises> {
  const database = await postgresTestDatabase();
  const files = `select pg_read_binary_file(pg_relation_filepath(oid)) as file from pg_class
    where relkind in ('r', 'i', 't') and oid >= 16384`;
  const bytes = async (): Promise<string> => {
    await database.query('checkpoint');
    return (await database.query(files)).map((row) => bytesOf(row['file'])).join('');
  };
  return { database, bytes, rewrite: ({ node: { store } }) => store.compact() };
}

const bytesOf = (value: unknown): string => {
  if (!(value instanceof Uint8Array)) throw new TypeError('not bytes');
  return Buffer.from(value).toString('latin1');
};

let premises: Premises;
let node: LoggingNode;
let tenantId: string;
let isPast: boolean;
const now = (): Date => new Date(Date.now() - (isPast ? 60 * DAY_MS : 0));

async function open(make: () => Promise<Premises>): Promise<void> {
  isPast = true;
  premises = await make();
  node = await loggingNode({ database: premises.database, adminSecret: new Secret(ADMIN_SECRET), now });
}
afterEach(async () => {
  await node.close();
  await premises.database.remove();
});

/** Seed, digest and app of the leaf of a certificate, as the files hold them. */
async function secretsOf(hash: string): Promise<readonly string[]> {
  const [row] = await premises.database.query(
    `select tenant_id, seed, digest from log_leaves order by leaf_id desc limit 1`,
  );
  expect(hash).toMatch(/^sha256:/);
  tenantId = String(row?.['tenant_id']);
  const columns = [bytesOf(row?.['seed']), bytesOf(row?.['digest'])];
  expect(columns.map(({ length }) => length)).toEqual([32, 32]);
  return [...columns, APP];
}

async function byHand(hash: string): Promise<void> {
  const path = `/v1/admin/records/${encodeURIComponent(hash)}/delete`;
  const { status } = await ask(node.node, 'post', path, { headers: { 'X-Admin-Secret': ADMIN_SECRET } });
  expect(status).toBe(200);
}

async function byRetention(): Promise<void> {
  const { store, deps } = node.node;
  // The sweep also asks the clock of the database: the record is old.
  isPast = false;
  await store.tenantSettings.set(tenantId, 'node', { retentionDays: 30 });
  const auditLog = createAuditLog({ audit: store.audit, signing: deps.signing, now });
  expect(await sweep({ store, auditLog, now }, new AbortController().signal)).toBe(1);
}

/** Sequences until every leaf has its number and every deletion its leaf. */
async function sequence(leaves: number): Promise<void> {
  const worker = node.start();
  await until(
    () => premises.database.query('select count(*) as n from log_leaves where log_index is not null'),
    ([row]) => Number(row?.['n']) === leaves,
  );
  await worker.stop();
}

describe.each([
  ['SQLite', onSqlite],
  ['PostgreSQL', onPostgres],
])('no file of %s keeps a deleted leaf', (_database, make) => {
  it.each([
    ['by hand, after it had a number', 'after', byHand],
    ['by hand, before it had a number', 'before', byHand],
    ['by retention, after it had a number', 'after', byRetention],
    ['by retention, before it had a number', 'before', byRetention],
  ] as const)('%s', async (_, when, erase) => {
    await open(make);
    const hash = await node.certify({ appId: APP });
    const secrets = await secretsOf(hash);
    if (when === 'after') await sequence(1);
    const before = await premises.bytes();
    for (const secret of secrets) expect(before.includes(secret)).toBe(true);
    await erase(hash);
    await sequence(2);
    await until(
      async () => {
        // Rows that another transaction may still read stay: its end is not known, so the files are rewritten again.
        await premises.rewrite(node);
        const bytes = await premises.bytes();
        return secrets.map((secret) => bytes.includes(secret));
      },
      (kept) => !kept.includes(true),
    );
    const [row] = await premises.database.query(
      'select seed, digest, label_json from log_leaves order by leaf_id limit 1',
    );
    expect(row).toEqual({ seed: null, digest: null, label_json: null });
  });
});
