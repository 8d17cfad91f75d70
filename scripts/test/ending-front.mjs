// A proxy that ends an endless stream, for programs that read each answer to its end.
import { once } from 'node:events';
import { createServer, request } from 'node:http';

/**
 * @param path the route whose answer ends after its first part
 * @returns {Promise<{url: string, close: () => Promise<void>}>}
 */
export async function startEndingFront(target, path) {
  const server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const isEndless = new URL(url, target).pathname === path;
    const passed = request(new URL(target), {
      ...{ method, path: url, agent: false, headers: { ...headers, host: new URL(target).host } },
    });
    passed.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers);
      if (!isEndless || answer.statusCode !== 200) answer.pipe(outgoing);
      else {
        answer.once('data', (part) => {
          outgoing.end(part);
          passed.destroy();
        });
        answer.once('end', () => outgoing.end());
      }
    });
    passed.on('error', (error) => outgoing.destroy(error));
    incoming.pipe(passed);
  });
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
