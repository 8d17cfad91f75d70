/** SQLite or PostgreSQL for a service: connection, migrations, and errors that it may report. */
export { Database } from './database.js';
export { DATABASE_URL_RULE, isDatabaseUrl, locationOf } from './database-url.js';
export type { Migration } from './migrate.js';
export { ofOwner, ownerOf } from './owner.js';
export { openDatabase } from './open-database.js';
export { createWriteProbes } from './write-probe.js';
export { StoreError } from './store-error.js';
