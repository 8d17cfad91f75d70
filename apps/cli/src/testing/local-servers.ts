import { createServer, type RequestListener, type Server } from 'node:http';

/** Servers on this machine for one test. */
export class LocalServers {
  readonly #running: Server[] = [];

  /** @returns the address it listens on */
  async serve(listener: RequestListener): Promise<string> {
    // No end of idle connections: by default one is ended after 5 s, also under a slow reader of what was sent.
    const server = createServer({ keepAliveTimeout: 0 }, listener);
    this.#running.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new TypeError('the server has no port');
    return `http://127.0.0.1:${address.port}`;
  }

  /** Ends all of them, and every connection that a test left open. */
  async close(): Promise<void> {
    await Promise.all(
      this.#running.splice(0).map((server) => {
        server.closeAllConnections();
        return new Promise((resolve) => server.close(resolve));
      }),
    );
  }
}
