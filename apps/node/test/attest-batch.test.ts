import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@cer/canonical-json';
import { CONFIDENTIAL_MEMBERS, sealed } from '@cer/cer-core/testing';

import { MAX_BATCH_LINES } from '../src/batch/line-batch.js';
import { ask, at, type Answer } from './ask.js';
import { startTestNode, type TestNode } from './test-node.js';

const NDJSON = 'application/x-ndjson';

let node: TestNode;
let key: string;

beforeAll(async () => {
  node = await startTestNode();
  key = await node.newKey();
});
afterAll(() => node.close());

const send = (lines: readonly string[]): Promise<Answer> =>
  ask(node, 'post', '/api/attest-batch', {
    key,
    body: lines.map((text) => `${text}\n`).join(''),
    headers: { 'Content-Type': NDJSON },
  });
const attest = (body: string): Promise<Answer> => ask(node, 'post', '/api/attest', { key, body });
const bundle = (members: JsonObject = {}): JsonObject => sealed({ executionId: randomUUID(), ...members }).bundle;

function results({ text }: Answer): { index: number; status: number; body: unknown }[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((result) => JSON.parse(result) as { index: number; status: number; body: unknown });
}

describe('a batch of attests', () => {
  it('answers each line in order like a single attest', async () => {
    const known = JSON.stringify(bundle({ executionId: 'known' }));
    const first = await attest(known);
    const changed = { ...bundle(), certificateHash: `sha256:${'0'.repeat(64)}` };
    const lines = [
      JSON.stringify(bundle(CONFIDENTIAL_MEMBERS)),
      known,
      JSON.stringify({ bundle: bundle() }),
      JSON.stringify(bundle({ executionId: 'known', output: 'other' })),
      JSON.stringify(changed),
      '{"canary": ',
      '{}',
    ];
    const answer = await send(lines);
    expect([answer.status, answer.headers['content-type']]).toEqual([200, NDJSON]);
    const found = results(answer);
    expect(found.map(({ index, status }) => [index, status])).toEqual([
      [0, 200],
      [1, 200],
      [2, 200],
      [3, 409],
      [4, 400],
      [5, 400],
      [6, 400],
    ]);
    expect(found.map(({ body }) => at(body, 'error')).slice(3)).toEqual([
      'EXECUTION_MUTATION_DETECTED',
      'INVALID_BUNDLE',
      'VALIDATION_ERROR',
      'VALIDATION_ERROR',
    ]);
    expect(JSON.stringify(found[1]?.body)).toBe(first.text);
    expect(answer.text).not.toContain('canary');
    const again = await attest(lines[0] ?? '');
    expect([again.headers['x-idempotent-replay'], again.text]).toEqual(['true', JSON.stringify(found[0]?.body)]);
  });

  it('processes bundles with one id sequentially', async () => {
    const executionId = randomUUID();
    const bundles = ['one', 'two', 'one', 'two'].map((output) => JSON.stringify(bundle({ executionId, output })));
    expect(results(await send(bundles)).map(({ status }) => status)).toEqual([200, 409, 200, 409]);
  });

  it('refuses the lines over its limit', async () => {
    const found = results(await send(Array.from({ length: MAX_BATCH_LINES + 1 }, () => '{}')));
    expect(found).toHaveLength(MAX_BATCH_LINES + 1);
    expect(found.at(-1)).toMatchObject({ status: 413, body: { error: 'PAYLOAD_TOO_LARGE' } });
  });
});
