import { setTimeout as delay } from 'node:timers/promises';

import type { Database } from './database.js';
import { text } from './record-rows.js';
import { StoreError } from '../ports/store-error.js';

/** An insert is one statement: it ends within milliseconds or with its connection. */
const WAIT_MS = 10;
const WAIT_LIMIT = 500;

// A writer of the table holds this lock from before its seq is assigned until its commit is visible.
const WRITERS = `
  select virtualtransaction as writer from pg_locks
  where locktype = 'relation' and relation = 'records'::regclass and mode = 'RowExclusiveLock' and granted
    and database = (select oid from pg_database where datname = current_database())
    and pid <> pg_backend_pid()`;

/** The seq of the newest visible record. */
export async function lastCommitted(database: Database): Promise<number> {
  const [row] = await database.all('select max(seq) as seq from records', []);
  return Number(row?.['seq'] ?? 0);
}

/**
 * Resolves when no earlier statement can still add a record with a smaller seq than a visible one: seqs are assigned
 * before the commit, so a later one may become visible first. SQLite has one writer at a time, so this cannot happen
 * there.
 * @throws StoreError STORE_CONTENDED when another transaction does not end for seconds
 */
export async function insertsUnderWay(database: Database): Promise<void> {
  if (database.dialect === 'sqlite') return;
  let waitedFor = await writers(database);
  for (let round = 0; waitedFor.size > 0; round += 1) {
    if (round >= WAIT_LIMIT) throw new StoreError('STORE_CONTENDED', 'another transaction holds records back');
    await delay(WAIT_MS);
    const now = await writers(database);
    waitedFor = new Set([...waitedFor].filter((writer) => now.has(writer)));
  }
}

async function writers(database: Database): Promise<ReadonlySet<string>> {
  return new Set((await database.all(WRITERS, [])).map((row) => text(row, 'writer')));
}
