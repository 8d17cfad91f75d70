import { randomUUID } from 'node:crypto';

import { afterEach, describe, expect, it } from '@jest/globals';
import { executionRequest, sealed } from '@cer/cer-core/testing';
import { parseTrustedProxies } from '@cer/http-service';
import { connectRaw } from '@cer/http-service/testing';

import { loadNodeConfig } from '../src/start/config.js';
import { VERIFY_BUDGET, type VerifyBudgetSettings } from '../src/limits/verify-budget.js';
import { ask, at, type Answer } from './ask.js';
import { startTestNode, type TestNode } from './test-node.js';

const VERIFY = '/v1/cer/verify';
const PROJECT = '/v1/project-bundle/verify';
const LIMIT = 1024 * 1024;

let node: TestNode;
afterEach(() => node.close());

const start = async (budget: Partial<VerifyBudgetSettings> = {}): Promise<void> => {
  node = await startTestNode({
    replace: () => ({
      verifyLimitBytes: LIMIT,
      trustedProxies: parseTrustedProxies('127.0.0.1'),
      verifyBudget: { ...VERIFY_BUDGET, ...budget },
    }),
  });
};

const small = { bundle: sealed(executionRequest()).bundle };
/** Slow to verify: nearly the size limit, with many small members. */
const large = {
  bundle: sealed(
    executionRequest({
      metadata: null,
      parameters: Object.fromEntries(Array.from({ length: 9000 }, (_i, at) => [`${'m'.repeat(40)}${at}`, at])),
    }),
  ).bundle,
};

const verify = (address: string, body: unknown = small, path = VERIFY): Promise<Answer> =>
  ask(node, 'post', path, { body, headers: { 'X-Forwarded-For': address } });

/** Requests whose head has arrived and whose body never ends: this many bytes of it arrive, and one is missing. */
async function hold(address: string, requests: number, sent = 0, announced = sent + 1): Promise<() => void> {
  const held = await Promise.all(
    Array.from({ length: requests }, async () => {
      const raw = await connectRaw(node.url);
      raw.send(
        `POST ${VERIFY} HTTP/1.1\r\nHost: n\r\nContent-Type: application/json\r\nX-Forwarded-For: ${address}\r\n`,
      );
      raw.send(`Expect: 100-continue\r\nContent-Length: ${announced}\r\n\r\n`);
      await raw.until('100 Continue');
      raw.send(' '.repeat(sent));
      return raw;
    }),
  );
  return () => {
    for (const { socket } of held) socket.destroy();
  };
}

/** Polls until the node has received the earlier requests. */
async function until(status: number, question: () => Promise<Answer>): Promise<Answer> {
  let answer = await question();
  for (let attempt = 0; answer.status !== status && attempt < 500; attempt += 1) answer = await question();
  return answer;
}

describe('the largest certificate', () => {
  const certify = async (key: string, body: unknown): Promise<Answer> =>
    ask(node, 'post', '/v1/cer/ai/certify', { key, body });

  it('verifies for the largest body without a key or settings', async () => {
    const { bodyLimitBytes, verifyLimitBytes, verifyBudget } = loadNodeConfig({ VERIFY_URL: 'http://verify.example' });
    node = await startTestNode({ replace: () => ({ bodyLimitBytes, verifyLimitBytes, verifyBudget }) });
    const text = JSON.stringify(executionRequest({ parameters: { a: 'HERE' }, metadata: { b: 'THERE' } }));
    const half = (bodyLimitBytes - text.length) / 2;
    const body = text.replace('HERE', 'x'.repeat(half)).replace('THERE', 'y'.repeat(half));
    expect(bodyLimitBytes - body.length).toBeLessThan(16);
    const answer = await certify(await node.newKey(), body);
    expect(answer.status).toBe(200);
    for (const submitted of [answer.text, `{"bundle":${answer.text}}`]) {
      const verdict = await ask(node, 'post', VERIFY, { body: submitted });
      expect([verdict.status, at(verdict.body, 'reasonCode')]).toEqual([200, 'OK']);
    }
  });

  it('is refused when its numbers outgrow those of the request', async () => {
    await start();
    const key = await node.newKey();
    const request = executionRequest({ executionId: 'numbers', parameters: { a: 'LONG' } });
    const refused = await certify(key, JSON.stringify(request).replace('"LONG"', `[${'1e20,'.repeat(50_000)}1]`));
    expect([refused.status, at(refused.body, 'error')]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect((await certify(key, request)).status).toBe(200);
  });
});

describe('verifying without a key', () => {
  it('limits concurrent requests of an address', async () => {
    await start({ concurrencyPerAddress: 3 });
    const release = await hold('192.0.2.1', 3);
    for (const path of [VERIFY, PROJECT]) {
      const refused = await verify('192.0.2.1', small, path);
      expect(refused.status).toBe(429);
      expect(refused.body).toEqual({
        error: 'RATE_LIMITED',
        message: 'too many requests of this address at once: wait for answers',
        requestId: refused.headers['x-request-id'],
      });
      expect(refused.headers['retry-after']).toBe('1');
    }
    expect((await verify('192.0.2.2')).status).toBe(200);
    release();
    let answer = await verify('192.0.2.1');
    for (let attempt = 0; answer.status === 429 && attempt < 100; attempt += 1) answer = await verify('192.0.2.1');
    expect(answer.status).toBe(200);
  });

  it('limits buffered bytes but admits a single body', async () => {
    await start({ bytesAtOnce: 100_000 });
    const release = await hold('192.0.2.1', 1, 90_000);
    const refused = await until(503, () => verify('192.0.2.2', { bundle: { padding: 'x'.repeat(20_000) } }));
    expect([refused.status, at(refused.body, 'error'), refused.headers['retry-after']]).toEqual([
      503,
      'SERVICE_UNAVAILABLE',
      '5',
    ]);
    expect((await verify('192.0.2.2')).status).toBe(200);
    release();
    expect((await until(200, () => verify('192.0.2.3', large))).status).toBe(200);
  });

  it('does not count declared but unsent bodies', async () => {
    await start({ bytesAtOnce: 100_000 });
    const releases = await Promise.all([1, 2, 3].map((client) => hold(`192.0.2.${client}`, 1, 0, 90_000)));
    expect((await verify('192.0.2.4', large)).status).toBe(200);
    expect((await verify('192.0.2.1', large)).status).toBe(200);
    for (const release of releases) release();
  });

  it('aborts a stalled body', async () => {
    await start({ stallMs: 20 });
    const raw = await connectRaw(node.url);
    raw.send(`POST ${VERIFY} HTTP/1.1\r\nHost: n\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`);
    const answer = await raw.ended();
    expect(answer).toContain('HTTP/1.1 408');
    expect(answer).toContain('"error":"REQUEST_TIMEOUT"');
  });

  it('limits buffered bytes per address', async () => {
    await start({ bytesAtOnce: 8_000_000 });
    const release = await hold('192.0.2.1', 1, 990_000);
    const padded = { bundle: { padding: 'x'.repeat(20_000) } };
    expect((await until(429, () => verify('192.0.2.1', padded))).status).toBe(429);
    expect((await verify('192.0.2.1')).status).toBe(200);
    expect((await verify('192.0.2.2', large)).status).toBe(200);
    release();
  });

  it('refuses queued requests once time is used up', async () => {
    await start({ cpuMsPerAddress: 1 });
    const body = JSON.stringify(large);
    const waiting = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const raw = await connectRaw(node.url);
        raw.send(`POST ${VERIFY} HTTP/1.1\r\nHost: n\r\nContent-Type: application/json\r\nConnection: close\r\n`);
        raw.send(`X-Forwarded-For: 192.0.2.1\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`);
        await raw.until('100 Continue');
        return raw;
      }),
    );
    for (const raw of waiting) raw.send(body);
    const answers = await Promise.all(waiting.map((raw) => raw.ended()));
    const statuses = answers.map((answer) => /^HTTP\/1\.1 ([2-5]\d\d)/m.exec(answer)?.[1]);
    expect(statuses.sort()).toEqual(['200', '429', '429', '429']);
  });

  it('counts time of invalid requests too', async () => {
    await start({ cpuMsPerAddress: 1, exemptAddresses: parseTrustedProxies('192.0.2.7') });
    expect((await verify('192.0.2.1', { bundle: 'none', padding: large })).status).toBe(400);
    const refused = await verify('192.0.2.1');
    expect([refused.status, at(refused.body, 'error')]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(1);
    expect((await verify('192.0.2.2')).status).toBe(200);
    for (let request = 0; request < 3; request += 1) expect((await verify('192.0.2.7', large)).status).toBe(200);
  });

  it('refuses after 405 and before 415', async () => {
    await start({ concurrencyPerAddress: 1 });
    const release = await hold('192.0.2.1', 1);
    const faulty = {
      body: 'x'.repeat(2 * LIMIT),
      headers: { 'X-Forwarded-For': '192.0.2.1', 'Content-Type': 'text/plain' },
    };
    expect((await ask(node, 'put', VERIFY, faulty)).status).toBe(405);
    expect((await ask(node, 'post', VERIFY, faulty)).status).toBe(429);
    expect(
      (await ask(node, 'post', VERIFY, { ...faulty, headers: { ...faulty.headers, 'X-Forwarded-For': '192.0.2.2' } }))
        .status,
    ).toBe(415);
    release();
  });

  it('never delays certifying', async () => {
    await start();
    const key = await node.newKey();
    let flooding = true;
    let verified = 0;
    const answers = new Set<number>();
    const flood = async (client: number): Promise<void> => {
      while (flooding) {
        const { status } = await verify(`192.0.2.${client}`, large);
        answers.add(status);
        // Refusals are cheap; a slow machine has many.
        if (status === 200) verified += 1;
      }
    };
    const clients = Array.from({ length: 40 }, (_item, client) => flood(client));
    while (verified < 10) await new Promise((resolve) => setImmediate(resolve));

    // Forty large ones are always pending: in arrival order all of them would precede each certificate.
    const before = verified;
    for (let certificate = 0; certificate < 10; certificate += 1) {
      const body = executionRequest({ executionId: randomUUID() });
      expect((await ask(node, 'post', '/v1/cer/ai/certify', { key, body })).status).toBe(200);
    }
    expect((verified - before) / 10).toBeLessThan(10);
    flooding = false;
    await Promise.all(clients);
    expect([...answers].every((status) => [200, 429, 503].includes(status))).toBe(true);
    expect(answers.has(200)).toBe(true);
  });
});
