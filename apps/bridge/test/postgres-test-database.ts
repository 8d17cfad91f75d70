import { randomUUID } from 'node:crypto';
import pg from 'pg';

export interface TestDatabase {
  readonly url: string;
  readonly remove: () => Promise<void>;
}

/** An empty database in the server that `global-setup.mjs` started. */
export async function postgresTestDatabase(): Promise<TestDatabase> {
  const server = process.env['TEST_POSTGRES_URL'];
  if (server === undefined) throw new Error('TEST_POSTGRES_URL is not set: test/global-setup.mjs did not run');
  const name = `bridge_${randomUUID().replaceAll('-', '')}`;
  await query(server, `create database ${name}`);
  return {
    url: Object.assign(new URL(server), { pathname: `/${name}` }).href,
    remove: () => query(server, `drop database ${name} with (force)`),
  };
}

async function query(url: string, sql: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
