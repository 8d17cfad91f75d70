import { Database } from './database.js';
import { SqlIngestStore } from './ingests.js';
import { SqlLimitStore } from './limits.js';
import { migrateDatabase } from './migrate.js';
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
  const database = new Database(databaseUrl);
  try {
    await migrateDatabase(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  return {
    sessions: new SqlSessionStore(database, now),
    ingests: new SqlIngestStore(database, now),
    limits: new SqlLimitStore(database),
    traces: new SqlTraceStore(database, now),
    ping: async () => {
      await database.run(async (db) => {
        await db.raw('select 1');
      });
    },
    sweep: () => sweepExpired(database, now()),
    close: () => database.close(),
  };
}
