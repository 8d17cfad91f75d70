import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../../../scripts/test/serve-postgres.mjs', import.meta.url));

/** A PostgreSQL server of one test. */
export interface OwnPostgresServer {
  /** Of its database `postgres`. */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/**
 * Starts a PostgreSQL server: an empty one of the packaged programs by default.
 * @see scripts/test/postgres-server.mjs for the options
 */
export async function ownPostgresServer(
  options: {
    readonly restored?: { readonly data: string; readonly password: string };
    readonly programs?: { readonly initdb: string; readonly postgres: string };
  } = {},
): Promise<OwnPostgresServer> {
  const server = spawn(process.execPath, [PROGRAM, JSON.stringify(options)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(server, 'close');
  const [text] = (await Promise.race([once(server.stdout.setEncoding('utf8'), 'data'), ended])) as readonly unknown[];
  if (typeof text !== 'string') throw new Error('PostgreSQL was not started');
  return {
    url: text.trim(),
    async stop() {
      server.stdin.end();
      await ended;
    },
  };
}
