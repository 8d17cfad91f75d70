import { startPostgresServer } from './postgres-server.mjs';

/** One PostgreSQL server for the whole run; each test file makes its own database in it. */
export default async function setup() {
  const server = await startPostgresServer();
  globalThis.testPostgresServer = server;
  // Workers inherit the environment, not the globals.
  process.env.TEST_POSTGRES_URL = server.url;
}
