// A TCP proxy that cuts and delays connections.
import { connect, createServer } from 'node:net';

/**
 * @param {{host: string, port: number}} target
 * @returns {Promise<{port: number, cut: () => number, delay: (ms: number) => void, close: () => void}>} `cut` ends every
 *   connection in mid-stream and returns their number; `delay` holds back each chunk, in order, until it is set to 0
 */
export async function startProxy(target) {
  const pairs = new Set();
  let delayMs = 0;
  const forward = (from, to) => {
    from.on('data', (chunk) => {
      const send = () => to.writable && to.write(chunk);
      // Once one chunk waits, later ones wait at least as long: setTimeout keeps the order of equal delays.
      if (delayMs === 0 && from.held === 0) return send();
      from.held += 1;
      setTimeout(
        () => {
          from.held -= 1;
          send();
        },
        Math.max(delayMs, 5),
      );
    });
  };
  const server = createServer((client) => {
    const upstream = connect(target);
    const pair = [client, upstream];
    pairs.add(pair);
    for (const socket of pair) {
      socket.held = 0;
      socket.on('error', () => undefined);
      socket.on('close', () => {
        pairs.delete(pair);
        for (const other of pair) other.destroy();
      });
    }
    forward(client, upstream);
    forward(upstream, client);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    const count = pairs.size;
    for (const pair of pairs) for (const socket of pair) socket.resetAndDestroy();
    return count;
  };
  return {
    port: server.address().port,
    cut,
    delay: (ms) => {
      delayMs = ms;
    },
    close: () => {
      cut();
      server.close();
    },
  };
}
