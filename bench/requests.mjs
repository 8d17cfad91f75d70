// Bodies for nodes under measurement, and one way to send them.
import { Agent, request } from 'node:http';

const MIB = 1024 * 1024;
const SENDER = process.pid;
let number = 0;

/** An execution of about `bytes`, as many small values: the costly form. Made before measuring, except for its id. */
export function executions(bytes) {
  const input = Array.from({ length: Math.ceil(bytes / 44) }, (_, at) => ({ role: 'user', n: at, text: 'abcdefgh' }));
  const stated = { provider: 'example', model: 'example-large-2', input, output: 'b', parameters: { temperature: 0 } };
  const rest = Buffer.from(JSON.stringify(stated).slice(1));
  return () => Buffer.concat([Buffer.from(`{"executionId":"bench-${SENDER}-${(number += 1)}",`), rest]);
}

/** JSON of about `bytes` that is costly to parse and neither bundle nor sketch. */
function arrays(bytes) {
  const body = Buffer.from(`{"bundle":{"stepRegistry":[${'[],'.repeat(bytes / 3)}[]]}}`);
  return () => body;
}

function batches(lines, bytes) {
  const line = executions(bytes);
  const end = Buffer.from('\n');
  return () => Buffer.concat(Array.from({ length: lines }, () => [line(), end]).flat());
}

/** The large bodies by name; each is made when its maker is called. */
export const LARGE_BODIES = {
  '9 MB': () => executions(9 * MIB),
  '1 MB': () => executions(MIB),
  batch: () => batches(200, 40 * 1024),
  '9.4 MB of []': () => arrays(9.4 * MIB),
  '255 KB of []': () => arrays(255 * 1024),
};

/** @returns posts a body and resolves with the status; `close` ends its connections */
export function poster(url) {
  const agent = new Agent({ keepAlive: true });
  const post = (path, key, body, type = 'application/json') =>
    new Promise((done, fail) => {
      const authorization = key === null ? {} : { authorization: `Bearer ${key}` };
      const headers = { 'content-type': type, 'content-length': body.length, ...authorization };
      const sent = request(`${url}${path}`, { method: 'POST', agent, headers }, (answer) => {
        answer.resume().once('end', () => done(answer.statusCode));
      });
      sent.once('error', fail).end(body);
    });
  return { post, close: () => agent.destroy() };
}
