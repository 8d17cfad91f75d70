import { executionRequest } from '@cer/cer-core/testing';
import { connectRaw, type RawConnection } from '@cer/http-service/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { ask, type Answer } from './ask.js';
import { startTestNode, type TestNode } from './test-node.js';

const MIB = 1024 * 1024;
/** Bodies of 8 MiB that leave 8 MiB of one account's share of the memory for large bodies. */
const BODIES = 7;

let node: TestNode;
let greedy: string;
let other: string;
const uploads: RawConnection[] = [];

beforeAll(async () => {
  node = await startTestNode({ replace: () => ({ bodyLimitBytes: 10 * MIB, projectLimitBytes: 10 * MIB }) });
  [greedy, other] = [await node.newKey(), await node.newKey()];
  for (let at = 0; at < BODIES; at += 1) uploads.push(await unfinishedUpload(greedy, 8 * MIB));
});
afterAll(async () => {
  for (const { socket } of uploads) socket.destroy();
  await node.close();
});

/** A body of which the last byte never comes. */
async function unfinishedUpload(key: string, bytes: number): Promise<RawConnection> {
  const raw = await connectRaw(node.url);
  const head = ['POST /v1/cer/ai/certify HTTP/1.1', 'Host: node', `Authorization: Bearer ${key}`];
  raw.send([...head, 'Content-Type: application/json', `Content-Length: ${bytes + 1}`, '', ''].join('\r\n'));
  raw.send(' '.repeat(bytes));
  return raw;
}

const large = (path: string, key: string): Promise<Answer> =>
  ask(node, 'post', path, { key, body: `${JSON.stringify(executionRequest())}${' '.repeat(2 * MIB)}` });

describe('the memory for large bodies', () => {
  it.each(['/v1/cer/ai/certify', '/v1/cer/ai/create', '/api/attest', '/v1/project-bundle/register'])(
    'is shared by account at %s',
    async (path) => {
      let answer = await large(path, greedy);
      // Until the share is taken. An upload that meets a large request is refused in its place.
      while (answer.status !== 429) {
        uploads.push(await unfinishedUpload(greedy, 1.5 * MIB));
        answer = await large(path, greedy);
      }
      expect(answer.body).toMatchObject({
        error: 'RATE_LIMITED',
        message: 'too many large bodies of this caller are in memory: retry',
      });
      expect(answer.headers['retry-after']).toBe('5');
      expect([200, 400]).toContain((await large(path, other)).status);
      const small = await ask(node, 'post', '/v1/cer/ai/certify', { key: greedy, body: executionRequest() });
      expect(small.status).toBe(200);
    },
  );
});
