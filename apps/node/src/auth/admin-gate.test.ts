import { describe, expect, it } from '@jest/globals';
import type { RequestHead } from '@cer/http-service';
import { Secret } from '@cer/http-service/config';

import { createAdminGate } from './admin-gate.js';

const SECRET = 'correct horse battery';

function headFrom(remoteAddress: string, secret?: string): RequestHead {
  return {
    method: 'POST',
    path: '/v1/admin/x',
    query: new URLSearchParams(),
    params: {},
    headers: secret === undefined ? {} : { 'x-admin-secret': secret },
    remoteAddress,
    requestId: 'r',
    signal: new AbortController().signal,
  };
}

/** A gate with a manual clock. */
function gateAt(start = 0): { admit: (address: string, secret?: string) => Promise<void>; pass: (ms: number) => void } {
  let now = start;
  const gate = createAdminGate({ adminSecret: new Secret(SECRET), now: () => new Date(now) });
  return {
    admit: (address, secret) => gate.admit(headFrom(address, secret)),
    pass: (ms) => (now += ms),
  };
}

const refused = (code: string): object => ({ refusal: { code } });

describe('the gate of the admin routes', () => {
  it('is closed on a node without a secret', async () => {
    const gate = createAdminGate({ adminSecret: undefined, now: () => new Date(0) });
    await expect(gate.admit(headFrom('192.0.2.1', SECRET))).rejects.toMatchObject(refused('ADMIN_NOT_CONFIGURED'));
    await expect(gate.admit(headFrom('192.0.2.1'))).rejects.toMatchObject(refused('ADMIN_NOT_CONFIGURED'));
  });

  it.each([undefined, '', 'x', `${SECRET}x`, SECRET.slice(1), 'y'.repeat(100_000), SECRET.toUpperCase(), '\u0000'])(
    'rejects wrong secrets of any length',
    async (secret) => {
      await expect(gateAt().admit('192.0.2.1', secret)).rejects.toMatchObject(refused('UNAUTHORIZED'));
    },
  );

  it('limits wrong secrets of the guessing address after five', async () => {
    const { admit, pass } = gateAt();
    for (let attempt = 0; attempt < 5; attempt += 1) {
      await expect(admit('192.0.2.1', 'wrong'.repeat(attempt))).rejects.toMatchObject(refused('UNAUTHORIZED'));
    }
    await expect(admit('192.0.2.1', 'wrong')).rejects.toMatchObject({
      refusal: { code: 'RATE_LIMITED', headers: { 'retry-after': '900' } },
    });
    await expect(admit('192.0.2.2', 'wrong')).rejects.toMatchObject(refused('UNAUTHORIZED'));
    pass(899_500);
    await expect(admit('192.0.2.1', 'wrong')).rejects.toMatchObject({ refusal: { headers: { 'retry-after': '1' } } });
    pass(500);
    await expect(admit('192.0.2.1', 'wrong')).rejects.toMatchObject(refused('UNAUTHORIZED'));
  });

  it('admits the right secret after many wrong ones', async () => {
    const { admit } = gateAt();
    for (let attempt = 0; attempt < 100; attempt += 1) await admit('192.0.2.1', 'wrong').catch(() => undefined);
    await expect(admit('192.0.2.1', SECRET)).resolves.toBeUndefined();
    await expect(admit('192.0.2.1', 'wrong')).rejects.toMatchObject(refused('UNAUTHORIZED'));
  });

  it('clears failures after success and after the window', async () => {
    const { admit, pass } = gateAt();
    const fail = async (times: number): Promise<void> => {
      for (let attempt = 0; attempt < times; attempt += 1) {
        await expect(admit('192.0.2.1', 'wrong')).rejects.toMatchObject(refused('UNAUTHORIZED'));
      }
    };
    await fail(4);
    await admit('192.0.2.1', SECRET);
    await fail(4);
    pass(15 * 60_000);
    await fail(5);
    await expect(admit('192.0.2.1', 'wrong')).rejects.toMatchObject(refused('RATE_LIMITED'));
  });

  it('counts a whole IPv6 network as one client', async () => {
    const { admit } = gateAt();
    for (const host of ['1', '2', 'aaaa:1', 'ffff:ffff:ffff:ffff', '5']) {
      const address = host.split(':').length === 4 ? `2001:db8:0:7:${host}` : `2001:db8:0:7::${host}`;
      await expect(admit(address, 'wrong')).rejects.toMatchObject(refused('UNAUTHORIZED'));
    }
    await expect(admit('2001:0db8:0000:0007:0:0:0:9', 'wrong')).rejects.toMatchObject(refused('RATE_LIMITED'));
    await expect(admit('2001:db8:0:8::1', 'wrong')).rejects.toMatchObject(refused('UNAUTHORIZED'));
  });

  it('does not count a request without a secret as a guess', async () => {
    const { admit } = gateAt();
    for (let attempt = 0; attempt < 20; attempt += 1) {
      await expect(admit('192.0.2.1')).rejects.toMatchObject(refused('UNAUTHORIZED'));
    }
    await expect(admit('192.0.2.1', 'wrong')).rejects.toMatchObject(refused('UNAUTHORIZED'));
  });

  it('stores a bounded number of addresses', async () => {
    const { admit } = gateAt();
    for (let client = 0; client < 10_000; client += 1) {
      const address = `10.${client >> 16}.${(client >> 8) & 255}.${client & 255}`;
      for (let attempt = 0; attempt < (client === 0 ? 5 : 1); attempt += 1) {
        await admit(address, 'wrong').catch(() => undefined);
      }
    }
    // The wrong one is not counted again, so the place of the address stays that of its fifth failure.
    await expect(admit('10.0.0.0', 'wrong')).rejects.toMatchObject(refused('RATE_LIMITED'));
    await admit('192.0.2.1', 'wrong').catch(() => undefined);
    await expect(admit('10.0.0.0', 'wrong')).rejects.toMatchObject(refused('UNAUTHORIZED'));
  });
});
