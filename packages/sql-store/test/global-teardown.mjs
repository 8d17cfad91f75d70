// Stops the PostgreSQL server of this run, unless another workspace still uses it.
export { leavePostgresServer as default } from '../../../scripts/test/shared-postgres-server.mjs';
