export { ownPostgresServer, type OwnPostgresServer } from './own-postgres-server.js';
export { smallDisk, type SmallDisk } from './small-disk.js';
export {
  countedTestDatabase,
  postgresTestDatabase,
  sqliteTestDatabase,
  type CountedDatabase,
  type TestDatabase,
} from './test-database.js';
export { preparedPlanFaults, type ReadsMany } from './sqlite-plans.js';
export { sweepOnSqlite } from './sweeps.js';
