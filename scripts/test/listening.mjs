import { once } from 'node:events';

/**
 * Has a server of `node:http` listen on a free port of this machine.
 * @returns {Promise<{url: string, close: () => Promise<void>}>} `close` ends its connections too
 */
export async function listening(server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
