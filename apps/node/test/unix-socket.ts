import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createApp, type NodeDeps } from '../src/start/app.js';

/**
 * A node's app behind a Unix socket. Its buffers stay small, where those of TCP grow to whatever a machine is set to:
 * an unread answer stays in progress.
 */
export interface UnixSocket {
  /** Asks for a package of records, and reads nothing of it. */
  readonly asksForPackage: (key: string, method?: 'GET' | 'HEAD') => Promise<IncomingMessage>;
  readonly close: () => Promise<void>;
}

export async function openUnixSocket(deps: NodeDeps): Promise<UnixSocket> {
  const folder = mkdtempSync(join(tmpdir(), 'cer-socket-'));
  const socketPath = join(folder, 'node');
  const server = createServer(createApp(deps));
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  return {
    asksForPackage: (key, method = 'GET') =>
      new Promise((resolve, reject) => {
        const headers = { authorization: `Bearer ${key}` };
        const options = { socketPath, path: '/v1/records/export', method, headers, highWaterMark: 1 };
        request(options, resolve).on('error', reject).end();
      }),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
