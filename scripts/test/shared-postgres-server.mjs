import { startPostgresServer } from './postgres-server.mjs';

let users = 0;
let starting;

/**
 * One PostgreSQL server for the whole run, whichever workspaces ask for it; each test file makes its own database in
 * it. A workspace names this as its jest globalSetup, and `leavePostgresServer` as its globalTeardown.
 */
export async function usePostgresServer() {
  users += 1;
  starting ??= startPostgresServer();
  // Workers inherit the environment, not the globals.
  process.env.TEST_POSTGRES_URL = (await starting).url;
}

export async function leavePostgresServer() {
  users -= 1;
  if (users > 0 || starting === undefined) return;
  const server = await starting;
  starting = undefined;
  await server.stop();
}
