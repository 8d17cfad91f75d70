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
 * Starts an empty PostgreSQL server.
 * @param programs folder of its programs; the packaged ones by default
 */
export async function ownPostgresServer(programs?: string): Promise<OwnPostgresServer> {
  const server = spawn(process.execPath, [PROGRAM, ...(programs === undefined ? [] : [programs])], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
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
