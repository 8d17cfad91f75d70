import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * A port that was just free: two services that name each other need one in advance. It is below the ephemeral ports of
 * the system (from 32768), so that no connection of another test takes it concurrently.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 25_000 + randomInt(5_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      const listens = (): void => {
        resolve(true);
      };
      server.once('error', () => {
        resolve(false);
      });
      server.listen(port, '127.0.0.1', listens);
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
