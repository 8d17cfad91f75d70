// Serves an empty PostgreSQL; prints its URL, ends when its input ends.
//   serve-postgres.mjs [FOLDER]   of the programs in a folder, or the packaged ones
import { once } from 'node:events';
import { join } from 'node:path';
import { startPostgresServer } from './postgres-server.mjs';

const [folder] = process.argv.slice(2);
const programs = folder && { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') };
const server = await startPostgresServer({ programs });
console.log(server.url);
process.stdin.resume();
await once(process.stdin, 'end');
await server.stop();
