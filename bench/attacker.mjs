// One account that sends large bodies, in a separate process: sending 9 MB holds a sender's event loop for 20 ms, which
// in the process that measures another account would count as latency of the node.
// Started by neighbours.mjs; each message is {url, path, key, type, body, connections, seconds}.
import { LARGE_BODIES, poster } from './requests.mjs';

/**
 * Served, refused because it is not a bundle or sketch, or refused because others wait or too many bodies are in
 * memory.
 */
const ANSWERED = new Set([200, 400, 429, 503]);

const bodies = new Map(Object.entries(LARGE_BODIES).map(([name, maker]) => [name, maker()]));

process.on('message', (order) => {
  void attack(order).then(
    (statuses) => process.send({ statuses }),
    (error) => process.send({ error: error.message }),
  );
});
process.send({ ready: true });

async function attack({ url, path, key, type, body, connections, seconds }) {
  const { post, close } = poster(url);
  const statuses = {};
  const untilMs = performance.now() + seconds * 1000;
  try {
    await Promise.all(
      Array.from({ length: connections }, async () => {
        while (performance.now() < untilMs) {
          const status = await post(path, key, bodies.get(body)(), type);
          if (!ANSWERED.has(status)) throw new Error(`the attacker got ${status}`);
          statuses[status] = (statuses[status] ?? 0) + 1;
        }
      }),
    );
    return statuses;
  } finally {
    close();
  }
}
