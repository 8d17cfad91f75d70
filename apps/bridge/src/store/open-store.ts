import { openDatabase } from '@cer/sql-store';
import { SqlIngestStore } from './ingests.js';
import { SqlLimitStore } from './limits.js';
import { MIGRATIONS } from './migrations.js';
import type { Store } from './ports.js';
import { SqlSessionStore } from './sessions.js';
import { sweepExpired } from './sweep.js';
import { SqlTraceStore } from './traces.js';

export interface StoreOptions {
  /** `sqlite:PATH`, the file made when there is none, or `postgres://...`. */
  readonly databaseUrl: string;
  readonly now?: () => Date;
}

/**
 * Opens the bridge's store and brings its schema up to date.
 * @throws StoreError STORE_URL_INVALID, STORE_UNAVAILABLE, STORE_SCHEMA_TOO_NEW
 */
export async function openStore({ databaseUrl, now = () => new Date() }: StoreOptions): Promise<Store> {
  const { database } = await openDatabase(databaseUrl, MIGRATIONS);
  return {
    sessions: new SqlSessionStore(database, now),
    ingests: new SqlIngestStore(database, now),
    limits: new SqlLimitStore(database),
    traces: new SqlTraceStore(database, now),
    ping: () => database.ping(),
    proveWritable: () => database.proveWritable(),
    sweep: () => sweepExpired(database, now()),
    close: () => database.close(),
  };
}
