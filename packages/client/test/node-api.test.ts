import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';

import { afterEach, describe, expect, it } from '@jest/globals';

import { certificates, NodeError, type Certificates } from '../src/index.js';
import { parseRetryAfter, retryDelay } from '../src/node-api/retry.js';
import { sendJson, startModelServer, type ModelServer } from './model-server.js';

const EXECUTION = { provider: 'p', model: 'm', input: 'in', output: 'out' };

let server: ModelServer;
let cer: Certificates;
let bodies: string[] = [];
afterEach(async () => {
  await cer.close({ timeoutMs: 0 });
  await server.close();
});

type Step = (response: ServerResponse) => void;

const ok: Step = (response) => {
  sendJson(response, { ok: true });
};
const refuse =
  (status: number, error: string, headers: Readonly<Record<string, string>> = {}): Step =>
  (response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    sendJson(response, { error, details: ['model: is required'] }, status);
  };
const drop: Step = (response) => {
  response.destroy();
};
const hang: Step = () => undefined;

/** A node that answers with these steps, the last one over and over. */
async function nodeThat(...steps: readonly Step[]): Promise<Certificates> {
  bodies = [];
  server = await startModelServer((body, response) => {
    const step = steps[Math.min(bodies.length, steps.length - 1)];
    bodies.push(body);
    step?.(response);
  });
  cer = certificates({ appId: 'tests', nodeUrl: server.url, apiKey: 'key', spoolDir: null });
  return cer;
}

describe('a message about the node', () => {
  it('names the address that does not answer', async () => {
    const { node } = await nodeThat(drop);
    await expect(node.health({ retries: 0 })).rejects.toThrow(`the node cannot be reached: ${server.url}`);
  });

  it('quotes no secret that a header cannot carry', async () => {
    const { node } = await nodeThat(ok);
    const apiKey = 'cer_live_secret\ncer_live_secret';
    const made = (): unknown => certificates({ appId: 'tests', nodeUrl: server.url, apiKey, spoolDir: null });
    expect(made).toThrow(/^apiKey: must hold the API key and nothing else$/);
    const read = node.auditLog('admin\nsecret').catch((error: unknown) => inspect(error));
    expect(await read).toMatch(/^TypeError: adminSecret: must hold the secret and nothing else\n/);
    await expect(node.auditEntries('admin\nsecret').next()).rejects.toThrow('adminSecret: must hold');
  });

  it('explains how to pass a missing API key', async () => {
    await nodeThat(refuse(401, 'UNAUTHORIZED'));
    const { node } = certificates({ appId: 'tests', nodeUrl: server.url, apiKey: '', spoolDir: null });
    const words = 'no API key was sent: pass apiKey or set CER_API_KEY';
    await expect(node.certify(EXECUTION)).rejects.toMatchObject({ code: 'UNAUTHORIZED', message: words });
  });

  it.each<[string, Step]>([
    ['no JSON', (response) => response.end('<html>')],
    ['an unknown refusal', (response) => response.writeHead(404).end('{"error":"not_found"}')],
    ['other lines', (response) => response.end('{"id":"c1"}\n')],
  ])('asks whether it is a node that answers %s', async (_, step) => {
    const { node } = await nodeThat(step);
    const asked = async (): Promise<void> => {
      for await (const result of node.askLines('attestBatch', ['{}'])) expect(result).toBeUndefined();
      await node.health();
    };
    await expect(asked()).rejects.toMatchObject({
      code: 'UNEXPECTED_ANSWER',
      message: expect.stringMatching(/: is nodeUrl the address of a node\?$/),
    });
  });
});

describe('a request to the node', () => {
  it.each([
    ['429', refuse(429, 'RATE_LIMITED')],
    ['500', refuse(500, 'INTERNAL_ERROR')],
    ['503 with Retry-After', refuse(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '0' })],
    ['a lost connection', drop],
  ])('is sent again after %s, with the same bytes', async (_, step) => {
    const { node } = await nodeThat(step, step, ok);
    expect(await node.certify(EXECUTION)).toEqual({ ok: true });
    expect(bodies).toHaveLength(3);
    expect(new Set(bodies).size).toBe(1);
    expect(bodies[0]).toContain('"executionId"');
  });

  it.each([
    [400, 'VALIDATION_ERROR'],
    [401, 'UNAUTHORIZED'],
    [409, 'EXECUTION_MUTATION_DETECTED'],
    [501, 'VIDEO_UNAVAILABLE'],
  ])('is not sent again after %s', async (status, code) => {
    const { node } = await nodeThat(refuse(status, code));
    const error = await node.certify(EXECUTION).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(NodeError);
    expect(error).toMatchObject({ code, status, requestId: 'req-1', details: ['model: is required'] });
    expect(bodies).toHaveLength(1);
  });

  it('ends after the retries with the last refusal', async () => {
    const { node } = await nodeThat(refuse(503, 'SERVICE_UNAVAILABLE'));
    const refused = node.certify(EXECUTION, { retries: 2 });
    await expect(refused).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 });
    expect(bodies).toHaveLength(3);
  });

  it('does not wait longer than 30 s for the node', async () => {
    const { node } = await nodeThat(refuse(429, 'QUOTA_EXCEEDED', { 'retry-after': '3600' }));
    await expect(node.certify(EXECUTION)).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED', retryAfterMs: 3_600_000 });
    expect(bodies).toHaveLength(1);
  });

  it('ends at its timeout', async () => {
    const { node } = await nodeThat(hang);
    const asked = node.certify(EXECUTION, { timeoutMs: 1000, retries: 1 });
    await expect(asked).rejects.toMatchObject({ code: 'TIMEOUT', status: null });
    expect(bodies).toHaveLength(2);
  });

  it("ends with its signal's reason while the node is silent", async () => {
    const { node } = await nodeThat(hang);
    const aborter = new AbortController();
    const asked = node.certify(EXECUTION, { signal: aborter.signal });
    while (server.requests() === 0) await new Promise((resolve) => setImmediate(resolve));
    const reason = new Error('enough');
    aborter.abort(reason);
    await expect(asked).rejects.toBe(reason);
  });

  it("ends with its signal's reason while it waits to retry", async () => {
    const { node } = await nodeThat(refuse(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '30' }));
    const aborter = new AbortController();
    const asked = node.certify(EXECUTION, { signal: aborter.signal });
    while (bodies.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const reason = new Error('enough');
    setImmediate(() => {
      aborter.abort(reason);
    });
    await expect(asked).rejects.toBe(reason);
    expect(bodies).toHaveLength(1);
  });

  it.each<[string, Step]>([
    ['text', (response) => response.end('hello')],
    ['a list', (response) => response.end('[]')],
    ['a number over the limits of JSON', (response) => response.end('{"a":1e999}')],
  ])('refuses an answer that is %s', async (_, step) => {
    const { node } = await nodeThat(step);
    await expect(node.version({ retries: 0 })).rejects.toMatchObject({ code: 'UNEXPECTED_ANSWER', status: 200 });
  });

  it('refuses an answer over its limit while it arrives', async () => {
    let sent = 0;
    const { node } = await nodeThat((response) => {
      const chunk = Buffer.alloc(64 * 1024, 0x20);
      const more = (): void => {
        while (!response.destroyed && sent < 1024) {
          sent += 1;
          if (!response.write(chunk)) return void response.once('drain', more);
        }
      };
      more();
    });
    const asked = node.version({ maxAnswerBytes: 256 * 1024 });
    await expect(asked).rejects.toMatchObject({ code: 'ANSWER_TOO_LARGE', status: 200 });
    expect(bodies).toHaveLength(1);
    expect(sent).toBeLessThan(1024);
  });

  it.each([
    ['text', 'hello'],
    ['a list', '[]'],
    ['an entry without its number', '{"entry":{}}'],
  ])('refuses a page of the audit log with %s', async (_, line) => {
    const { node } = await nodeThat((response) => response.end(`${line}\n`));
    const read = async (): Promise<void> => {
      for await (const entry of node.auditEntries('secret', {}, { retries: 0 })) expect(entry).toEqual({ entry: {} });
    };
    await expect(read()).rejects.toMatchObject({ code: 'UNEXPECTED_ANSWER' });
  });

  it('follows no redirect and takes none for an answer', async () => {
    const { node } = await nodeThat((response) => {
      response.setHeader('location', `${server.url}/elsewhere`);
      sendJson(response, { ok: true }, 307);
    });
    await expect(node.certify(EXECUTION)).rejects.toMatchObject({ code: 'UNEXPECTED_ANSWER', status: 307 });
    expect(bodies).toHaveLength(1);
  });

  it('keeps the whole refusal', async () => {
    const { node } = await nodeThat((response) => {
      sendJson(response, { error: 'ATTESTATION_MISSING', missingSteps: [{ index: 0 }] }, 400);
    });
    const answer = { error: 'ATTESTATION_MISSING', missingSteps: [{ index: 0 }] };
    await expect(node.registerProject({})).rejects.toMatchObject({ answer });
  });

  it('sends and returns unchanged bytes', async () => {
    const { node } = await nodeThat((response) => {
      response.setHeader('x-idempotent-replay', 'true');
      response.end(' {"a": 1.0}\n');
    });
    const body = { bytes: ' {"input":1e0}', type: 'application/json' };
    const { status, headers, bytes } = await node.ask('certify', { body });
    expect(bodies).toEqual([body.bytes]);
    expect([status, headers.get('x-idempotent-replay'), new TextDecoder().decode(bytes)]).toEqual([
      ...[200, 'true', ' {"a": 1.0}\n'],
    ]);
  });

  it('names no code that it does not know', async () => {
    const { node } = await nodeThat(refuse(400, 'toString'));
    await expect(node.version()).rejects.toMatchObject({ code: 'UNEXPECTED_ANSWER', status: 400 });
  });
});

describe('the wait before a retry', () => {
  it('is random below a bound doubling to 30 s', () => {
    const bounds = [0, 1, 2, 6, 7, 40].map((attempt) => retryDelay(attempt, null, () => 1));
    expect(bounds).toEqual([250, 500, 1000, 16_000, 30_000, 30_000]);
    expect(retryDelay(5, null, () => 0)).toBe(0);
  });

  it('is at least what the node asks for', () => {
    expect(retryDelay(0, 2000, () => 0)).toBe(2000);
    expect(retryDelay(4, 10, () => 0.5)).toBe(2000);
    expect(retryDelay(0, 30_001, () => 0)).toBeNull();
  });

  it.each([
    ['120', 120_000],
    ['Sun, 22 Nov 2026 08:00:10 GMT', 10_000],
    ['Sun, 22 Nov 2026 07:00:00 GMT', 0],
    ['soon', null],
    [null, null],
  ])('is read from Retry-After: %s', (value, expected) => {
    expect(parseRetryAfter(value, Date.parse('2026-11-22T08:00:00Z'))).toBe(expected);
  });
});
