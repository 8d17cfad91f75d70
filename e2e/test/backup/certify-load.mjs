// Certifies until SIGTERM, two requests at a time; every answered request is one line `{"request": ..., "answer": "..."}`.
//   certify-load.mjs URL KEY_FILE OUT
import { appendFileSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const [url, keyFile, out] = process.argv.slice(2);
const PAUSE_MS = 100;
const headers = {
  'content-type': 'application/json',
  authorization: `Bearer ${readFileSync(keyFile, 'utf8').trim()}`,
};
let isStopping = false;
process.once('SIGTERM', () => (isStopping = true));

/** Every second one is confidential: its openings are derived from the commitment secret. */
function request(client, count) {
  const isConfidential = count % 2 === 1;
  return {
    executionId: `load-${client}-${count}`,
    provider: 'example',
    model: 'example-1',
    input: `question ${client} ${count}`,
    output: `answer ${client} ${count}`,
    ...(isConfidential && {
      protocolVersion: '1.3.1',
      prompt: 'Answer briefly.',
      parameters: { temperature: 0, maxTokens: 100, topP: null, seed: null },
    }),
  };
}

async function certify(client) {
  for (let count = 0; !isStopping; count += 1) {
    const body = request(client, count);
    const response = await fetch(`${url}/v1/cer/ai/certify`, { method: 'POST', headers, body: JSON.stringify(body) });
    const answer = await response.text();
    if (response.status !== 200) throw new Error(`${response.status}: ${answer}`);
    appendFileSync(out, `${JSON.stringify({ request: body, answer })}\n`);
    await sleep(PAUSE_MS);
  }
}

await Promise.all([certify('a'), certify('b')]);
