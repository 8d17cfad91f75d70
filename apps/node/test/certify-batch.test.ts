import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@cer/canonical-json';
import { CONFIDENTIAL_MEMBERS, executionRequest } from '@cer/cer-core/testing';
import { connectRaw } from '@cer/http-service/testing';

import { MAX_BATCH_LINES, MAX_LINE_BYTES } from '../src/batch/line-batch.js';
import { ask, at, textAt, type Answer } from './ask.js';
import { startTestNode, TEST_LIMITS, type TestNode } from './test-node.js';

const NDJSON = 'application/x-ndjson';
const PATH = '/v1/cer/ai/certify-batch';

let node: TestNode;
let key: string;

beforeAll(async () => {
  node = await startTestNode();
  key = await node.newKey();
});
afterAll(() => node.close());

const send = (text: string): Promise<Answer> =>
  ask(node, 'post', PATH, { key, body: text, headers: { 'Content-Type': NDJSON } });
const line = (members: JsonObject = {}): string =>
  JSON.stringify(executionRequest({ executionId: randomUUID(), ...members }));
const certify = (body: string): Promise<Answer> => ask(node, 'post', '/v1/cer/ai/certify', { key, body });

function results({ text }: Answer): { index: number; status: number; body: unknown }[] {
  expect(text === '' || text.endsWith('\n')).toBe(true);
  return text
    .split('\n')
    .slice(0, -1)
    .map((result) => JSON.parse(result) as { index: number; status: number; body: unknown });
}

async function until(met: () => Promise<boolean>): Promise<void> {
  while (!(await met())) await sleep(5);
}

async function holds(executionId: string): Promise<boolean> {
  const rows = await node.database.query(`select 1 from records where execution_id = '${executionId}'`);
  return rows.length > 0;
}

describe('a batch of certifies', () => {
  it('answers each line in order like a single certify', async () => {
    const known = line();
    const first = await certify(known);
    const lines = [
      line(CONFIDENTIAL_MEMBERS),
      '{"canary": ',
      '{}',
      known,
      JSON.stringify({ ...(JSON.parse(known) as object), output: 'other' }),
      line({ protocolVersion: '1.2.0', bundleType: 'cer.ai.execution.v2', executionRole: 'advisory' }),
      line({ input: 'NEST' }).replace('"NEST"', '['.repeat(97) + ']'.repeat(97)),
      '5',
    ];
    const answer = await send(`${lines.join('\n')}\n`);
    expect([answer.status, answer.headers['content-type']]).toEqual([200, NDJSON]);
    const found = results(answer);
    expect(found.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(found.map(({ status }) => status)).toEqual([200, 400, 400, 200, 409, 422, 400, 400]);
    expect(found.map(({ body }) => at(body, 'error'))).toEqual([
      ...[undefined, 'VALIDATION_ERROR', 'VALIDATION_ERROR', undefined, 'EXECUTION_MUTATION_DETECTED'],
      ...['PROTOCOL_SCHEMA_UNSATISFIED', 'VALIDATION_ERROR', 'VALIDATION_ERROR'],
    ]);
    expect(JSON.stringify(found[3]?.body)).toBe(first.text);
    const single = await certify(lines[0] ?? '');
    expect(single.headers['x-idempotent-replay']).toBe('true');
    expect(JSON.stringify(found[0]?.body)).toBe(single.text);
    expect(answer.text).not.toContain('canary');
  });

  it('processes items with one id sequentially', async () => {
    const executionId = randomUUID();
    const outputs = ['one', 'two', 'one', 'two', 'one'];
    for (let round = 0; round < 3; round += 1) {
      const id = `${executionId}-${round}`;
      const found = results(await send(outputs.map((output) => line({ executionId: id, output })).join('\n')));
      expect(found.map(({ status }) => status)).toEqual([200, 409, 200, 409, 200]);
      expect(found[2]?.body).toEqual(found[0]?.body);
    }
    const afterFault = [line({ executionId, model: 5 }), line({ executionId, output: 'two' }), line({ executionId })];
    expect(results(await send(afterFault.join('\n'))).map(({ status }) => status)).toEqual([400, 200, 409]);
  });

  it('accepts CRLF, empty lines and an empty body', async () => {
    const text = `\r\n${line()}\r\n\n  \n${line()}`;
    expect(results(await send(text)).map(({ index, status }) => [index, status])).toEqual([
      [0, 200],
      [1, 200],
    ]);
    expect(results(await send('\n'))).toEqual([]);
    expect((await send('')).status).toBe(200);
  });

  it('refuses lines after the 500th', async () => {
    const ids = Array.from({ length: MAX_BATCH_LINES + 1 }, () => randomUUID());
    const found = results(await send(ids.map((executionId) => line({ executionId })).join('\n')));
    expect(found).toHaveLength(MAX_BATCH_LINES + 1);
    expect(found.slice(0, MAX_BATCH_LINES).every(({ index, status }, at) => index === at && status === 200)).toBe(true);
    expect(found.at(-1)).toMatchObject({ index: MAX_BATCH_LINES, status: 413, body: { error: 'PAYLOAD_TOO_LARGE' } });
    expect(await holds(ids.at(-1) ?? '')).toBe(false);
  });

  it('refuses an oversized line and continues', async () => {
    const long = line({ input: 'x'.repeat(MAX_LINE_BYTES) });
    const found = results(await send([line(), long, line()].join('\n')));
    expect(found.map(({ status }) => status)).toEqual([200, 413, 200]);
  });

  it('ends with an error line when oversized', async () => {
    const small = await startTestNode({ replace: () => ({ batchLimitBytes: 4096 }) });
    try {
      const raw = await connectRaw(small.url);
      raw.send(`POST ${PATH} HTTP/1.1\r\nHost: n\r\nAuthorization: Bearer ${await small.newKey()}\r\n`);
      raw.send(`Content-Type: ${NDJSON}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`);
      for (const part of [`${line()}\n`, `${line({ input: 'x'.repeat(5000) })}\n`]) {
        raw.send(`${part.length.toString(16)}\r\n${part}\r\n`);
      }
      raw.send('0\r\n\r\n');
      const answer = await raw.ended();
      expect(answer).toMatch(/^HTTP\/1.1 200/);
      expect(answer).toMatch(/\{"index":0,"status":200/);
      expect(answer).toMatch(/\{"index":1,"status":413,"body":\{"error":"PAYLOAD_TOO_LARGE"/);
      const announced = await ask(small, 'post', PATH, {
        ...{ key: await small.newKey(), body: 'x'.repeat(5000) },
        headers: { 'Content-Type': NDJSON },
      });
      expect(announced.status).toBe(413);
    } finally {
      await small.close();
    }
  });

  it('is refused without key, scope or NDJSON type', async () => {
    const headers = { 'Content-Type': NDJSON };
    expect((await ask(node, 'post', PATH, { body: line(), headers })).status).toBe(401);
    const weak = await node.newKey('weak', ['render']);
    expect((await ask(node, 'post', PATH, { key: weak, body: line(), headers })).status).toBe(403);
    expect((await ask(node, 'post', PATH, { key, body: line() })).status).toBe(415);
  });
});

describe('a batch over a connection that fails', () => {
  const head = (length: string): string =>
    `POST ${PATH} HTTP/1.1\r\nHost: n\r\nAuthorization: Bearer ${key}\r\nContent-Type: ${NDJSON}\r\n${length}\r\n\r\n`;

  it('streams results while the client is sending', async () => {
    const raw = await connectRaw(node.url);
    raw.send(head('Transfer-Encoding: chunked'));
    const lines = Array.from({ length: 130 }, () => `${line()}\n`).join('');
    raw.send(`${lines.length.toString(16)}\r\n${lines}\r\n`);
    expect(await raw.until('{"index":0,"status":200')).toMatch(/^HTTP\/1.1 200/);
    raw.send('0\r\n\r\n');
    await raw.until('{"index":129,"status":200');
    raw.socket.destroy();
  });

  it('keeps results from before the connection was cut', async () => {
    const [whole, cut] = [randomUUID(), randomUUID()];
    const raw = await connectRaw(node.url);
    raw.send(head('Content-Length: 100000'));
    raw.send(`${line({ executionId: whole })}\n${line({ executionId: cut }).slice(0, -1)}`);
    const served = node.log.length;
    await until(() => holds(whole));
    raw.socket.destroy();
    await until(async () => node.log.slice(served).some((entry) => entry.includes(`"route":"${PATH}"`)));
    expect(await holds(cut)).toBe(false);
    expect((await certify(line({ executionId: whole }))).headers['x-idempotent-replay']).toBe('true');
    expect(node.log.filter((entry) => entry.includes('"level":"error"'))).toEqual([]);
  });

  it('applies backpressure and survives a disconnect', async () => {
    const raw = await connectRaw(node.url);
    raw.socket.pause();
    const bulk = 'x'.repeat(TEST_LIMITS.bodyLimitBytes / 2);
    const text = Array.from({ length: 200 }, () => `${line({ metadata: { bulk } })}\n`).join('');
    raw.send(head(`Content-Length: ${text.length}`));
    raw.send(text);
    // The buffers of both ends are full, and part of the batch was not read.
    let before = -1;
    await until(async () => {
      const now = (await node.database.query('select 1 from records')).length;
      const isStill = now === before;
      before = now;
      await sleep(100);
      return isStill;
    });
    raw.socket.destroy();
    const answer = await certify(line());
    expect(textAt(answer.body, 'certificateHash')).toBe(answer.headers['x-certificate-hash']);
  });
});
