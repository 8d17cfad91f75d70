// Serves an empty PostgreSQL of the programs in a folder; prints its URL, ends when its input ends.
//   serve-postgres.mjs FOLDER
import { once } from 'node:events';
import { join } from 'node:path';
import { startPostgresServer } from '../../../scripts/test/postgres-server.mjs';

const [folder] = process.argv.slice(2);
const programs = { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') };
const server = await startPostgresServer({ programs });
console.log(server.url);
process.stdin.resume();
await once(process.stdin, 'end');
await server.stop();
