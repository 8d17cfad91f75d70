// A proxy that ends an endless stream, for programs that read each answer to its end.
import { createServer, request } from 'node:http';
import { listening } from './listening.mjs';

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
  return listening(server);
}
