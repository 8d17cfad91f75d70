import { describe, expect, it } from '@jest/globals';
import { jwkThumbprint } from '../fingerprint.js';
import { parseKeySet } from '../key-set.js';
import { verifySignature } from '../verify-signature.js';
import { testKeySet, testSigner } from './index.js';

describe('testSigner', () => {
  it('derives the same key from the same seed', () => {
    expect(testSigner(1).kid).toBe('fnYtmLf6nryk3su19lz18vxbdnwTK_xaJuk-HhZhFu8');
    expect(testSigner('1').kid).toBe(testSigner(1).kid);
    expect(testSigner(2).kid).not.toBe(testSigner(1).kid);
  });

  it('makes valid signatures', async () => {
    const signer = testSigner('signs');
    const message = new TextEncoder().encode('message');
    expect(await verifySignature(signer.publicKey, message, await signer.sign(message))).toBe(true);
  });

  it('uses the thumbprint or the given kid', () => {
    const signer = testSigner('kid');
    expect(signer.kid).toBe(jwkThumbprint(signer.publicKey));
    expect(testSigner('kid', { kid: '__proto__' }).kid).toBe('__proto__');
  });
});

describe('testKeySet', () => {
  it('names the first active key as activeKid', () => {
    const [first, second] = [testSigner('first'), testSigner('second')];
    const set = parseKeySet(testKeySet({ signers: [{ signer: first, status: 'retired' }, { signer: second }] }));
    expect(set.activeKid).toBe(second.kid);
    expect([...set.entries.values()].every(({ key }) => key.usable)).toBe(true);
  });

  it('may have no active key', () => {
    expect(testKeySet({ signers: [] })).toEqual({ nodeId: 'test-node', activeKid: null, keys: [] });
  });
});
