export { smallDisk, type SmallDisk } from './small-disk.js';
export { postgresTestDatabase, sqliteTestDatabase, type TestDatabase } from './test-database.js';
