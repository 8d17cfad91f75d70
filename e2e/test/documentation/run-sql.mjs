// Runs SQL statements, the arguments, on a migrated node database in PostgreSQL; prints the number of rows of each. Uses
// the server of the test run where there is one.
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgresServer } from '../../../scripts/test/postgres-server.mjs';

const root = join(import.meta.dirname, '..', '..', '..');
const shared = process.env.TEST_POSTGRES_URL;
const server = shared === undefined ? await startPostgresServer() : { url: await newDatabase(shared), stop: () => {} };
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

/** @returns the URL of a new database; the server of the test run removes it with its folder */
async function newDatabase(url) {
  const name = `documentation_${randomUUID().replaceAll('-', '')}`;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`create database "${name}"`);
  await client.end();
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}
