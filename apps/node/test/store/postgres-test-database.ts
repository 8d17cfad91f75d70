import { randomUUID } from 'node:crypto';

import pg from 'pg';

import type { TestDatabase } from './test-database.js';

/** An empty database in the server that `global-setup.mjs` started. */
export async function postgresTestDatabase(): Promise<TestDatabase> {
  const server = process.env['TEST_POSTGRES_URL'];
  if (server === undefined) throw new Error('TEST_POSTGRES_URL is not set: test/global-setup.mjs did not run');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await query(server, `create database ${name}`);
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href;
  return {
    url,
    query: (sql) => query(url, sql),
    remove: async () => {
      await query(server, `drop database ${name} with (force)`);
    },
  };
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
