import { Database } from './database.js';
import { migrateDatabase, type Migration } from './migrate.js';

/** A database and the version its schema is at. */
export interface OpenedDatabase {
  readonly database: Database;
  readonly schemaVersion: number;
}

/**
 * Opens a database and brings its schema up to date; closes it when that fails.
 * @param databaseUrl `sqlite:PATH`, the file made when it does not exist, or `postgres://...`
 * @param migrations every step of this release, in order
 * @throws StoreError STORE_URL_INVALID, STORE_UNAVAILABLE, STORE_SCHEMA_TOO_NEW
 */
export async function openDatabase(databaseUrl: string, migrations: readonly Migration[]): Promise<OpenedDatabase> {
  const database = new Database(databaseUrl);
  try {
    return { database, schemaVersion: await migrateDatabase(database, migrations) };
  } catch (error) {
    await database.close();
    throw error;
  }
}
