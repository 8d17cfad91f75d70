import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Signer } from '@cer/keys';
import { createKeyFile, openKeyFile } from '@cer/keys/testing/key-file';
import { SIGNER_RULES, testSigner } from '@cer/keys/testing';

describe('a key file', () => {
  let folder: string;
  let signer: Signer;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'signer-contract-'));
    createKeyFile(join(folder, 'keys.json'), { nodeId: 'n', now: new Date() });
    signer = openKeyFile(join(folder, 'keys.json')).signer;
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it.each(SIGNER_RULES)('$sentence', async ({ holds }) => {
    expect(await holds(signer)).toBe(true);
  });
});

describe('a test signer', () => {
  it.each(SIGNER_RULES)('$sentence', async ({ holds }) => {
    expect(await holds(testSigner('contract'))).toBe(true);
  });
});

describe('the contract', () => {
  const honest = testSigner('honest');
  it.each<[string, Signer]>([
    ['signs with another key', { ...honest, sign: (message) => testSigner('other').sign(message) }],
    ['has another kid', testSigner('honest', { kid: 'another' })],
    ['returns one extra byte', { ...honest, sign: async (m) => Uint8Array.of(...(await honest.sign(m)), 0) }],
    ['signs one message only', { ...honest, sign: () => honest.sign(new TextEncoder().encode('receipt')) }],
  ])('rejects a signer that %s', async (_name, signer) => {
    const verdicts = await Promise.all(SIGNER_RULES.map(({ holds }) => holds(signer)));
    expect(verdicts).toContain(false);
  });
});
