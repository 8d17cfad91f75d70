import { describe, expect, it } from '@jest/globals';
import type { KeyAccount } from './accounts.js';
import { cachedKeys } from './cached-keys.js';

const account: KeyAccount = {
  tenantId: 'tenant',
  tenantName: 'Tenant',
  keyId: 'key',
  scopes: new Set(['ingest']),
  isActive: true,
  hasBridge: true,
  limits: { requestsPerMinute: null, executionsPerMonth: null },
  minimumProtocol: '1.2.0',
};

describe('cached keys', () => {
  it('survive a flood of made-up ones', async () => {
    const asked: string[] = [];
    const find = cachedKeys(
      async (keyHash) => {
        asked.push(keyHash);
        return keyHash === 'good' ? account : null;
      },
      () => 0,
    );
    await find('good');
    for (let at = 0; at < 10_001; at += 1) await find(`made-up-${at}`);
    expect(await find('good')).toBe(account);
    expect(asked.filter((keyHash) => keyHash === 'good')).toHaveLength(1);
  });

  it('expire after 1.5 seconds, unknown ones after one', async () => {
    let nowMs = 0;
    let answer: KeyAccount | null = null;
    const find = cachedKeys(
      async () => answer,
      () => nowMs,
    );
    expect(await find('key')).toBeNull();
    answer = account;
    nowMs = 999;
    expect(await find('key')).toBeNull();
    nowMs = 1_000;
    expect(await find('key')).toBe(account);
    answer = null;
    nowMs = 2_499;
    expect(await find('key')).toBe(account);
    nowMs = 2_500;
    expect(await find('key')).toBeNull();
  });
});
