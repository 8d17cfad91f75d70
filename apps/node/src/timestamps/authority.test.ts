import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { recordedLog } from '@cer/http-service/testing';
import { NO_ROOTS } from '@cer/timestamps';

import { createAuthority, type Authority } from './authority.js';

const DIGEST = new Uint8Array(32);
const goOn = new AbortController().signal;

describe('an authority without a valid token', () => {
  const server = createServer((_request, response) => response.writeHead(503).end());
  let url: string;
  let clock = 0;
  let log: readonly string[];

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/tsa`;
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  function authority(): Authority {
    const { logger, lines } = recordedLog();
    clock = 0;
    log = lines;
    return createAuthority({ url, roots: NO_ROOTS, timeoutMs: 5000, elapsedMs: () => clock, logger });
  }

  it('is retried with exponential backoff up to five minutes', async () => {
    const asked = authority();
    const pauses: number[] = [];
    for (let failures = 0; failures < 12; failures += 1) {
      expect(await asked.timestamp(DIGEST, goOn)).toBeNull();
      const from = clock;
      while (!asked.isReady()) clock += 1000;
      pauses.push((clock - from) / 1000);
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);
    expect(log.filter((line) => line.includes('HTTP 503'))).toHaveLength(1);
  });

  it('counts concurrent failures as one', async () => {
    const asked = authority();
    await Promise.all([1, 2, 3, 4].map(() => asked.timestamp(DIGEST, goOn)));
    clock += 1000;
    expect(asked.isReady()).toBe(true);
  });

  it('does not count a cancelled request as failure', async () => {
    const asked = authority();
    expect(await asked.timestamp(DIGEST, AbortSignal.abort())).toBeNull();
    expect(asked.isReady()).toBe(true);
    expect(log.join('')).not.toContain('gave no token');
  });

  it('is logged without the path, which may be secret', async () => {
    url = `${url}/canary`;
    await authority().timestamp(DIGEST, goOn);
    expect(log.join('')).toContain('127.0.0.1:');
    expect(log.join('')).not.toContain('canary');
  });
});
