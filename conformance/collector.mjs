// Receives the spans of a node that `serve` started: OTLP over HTTP with JSON.
import { once } from 'node:events';
import { createServer } from 'node:http';

/** Time in which spans must arrive, which a node sends in the background. */
const ARRIVE_MS = 30_000;

/** @returns {Promise<{env: object, spansOf: (traceId: string, count: number) => Promise<object[]>, close: () => void}>} */
export async function startCollector() {
  const spans = [];
  const waiting = new Set();
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const { resourceSpans = [] } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
      spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      for (const look of waiting) look();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${server.address().port}`,
      OTEL_BSP_SCHEDULE_DELAY: '100',
    },
    /** The spans of a trace, when there are at least `count`. */
    spansOf: (traceId, count) =>
      new Promise((resolve, reject) => {
        const own = () => spans.filter((span) => span.traceId === traceId);
        const end = (settle, value) => {
          clearTimeout(timer);
          waiting.delete(look);
          settle(value);
        };
        const look = () => {
          if (own().length >= count) end(resolve, own());
        };
        const timer = setTimeout(() => end(reject, new Error(`${own().length} of ${count} spans arrived`)), ARRIVE_MS);
        waiting.add(look);
        look();
      }),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
