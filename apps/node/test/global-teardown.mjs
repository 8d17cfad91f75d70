export { leavePostgresServer as default } from '../../../scripts/test/shared-postgres-server.mjs';
