// Runs SQL statements, the arguments, on a migrated node database in PostgreSQL; prints the number of rows of each.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgresServer } from '../../../scripts/test/postgres-server.mjs';

const root = join(import.meta.dirname, '..', '..', '..');
const server = await startPostgresServer();
try {
  execFileSync(process.execPath, [join(root, 'apps/node/dist/main.js'), 'migrate'], {
    env: { ...process.env, DATABASE_URL: server.url },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  for (const statement of process.argv.slice(2)) {
    const { rowCount } = await client.query(statement);
    console.log(rowCount);
  }
  await client.end();
} finally {
  await server.stop();
}
