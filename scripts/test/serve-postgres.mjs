// Serves PostgreSQL for a test; prints its URL, ends when its input ends.
//   serve-postgres.mjs OPTIONS   of startPostgresServer, as JSON
import { once } from 'node:events';
import { startPostgresServer } from './postgres-server.mjs';

const server = await startPostgresServer(JSON.parse(process.argv[2]));
console.log(server.url);
process.stdin.resume();
await once(process.stdin, 'end');
await server.stop();
