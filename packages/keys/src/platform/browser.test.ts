import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { webcrypto } from 'node:crypto';
import { bytesOf, RFC_8032_VECTORS } from '../../test/rfc8032.js';
import type { SubtleEd25519 } from '../backends/web-crypto.js';
import { encodeHex } from '../hex.js';
import * as browser from './browser.js';
import * as node from './node.js';

/** A browser's crypto.subtle with one method replaced. */
function subtleThat(differs: Partial<SubtleEd25519<webcrypto.CryptoKey>>): SubtleEd25519 {
  return {
    importKey: (...input) => webcrypto.subtle.importKey(...input),
    verify: (...input: Parameters<SubtleEd25519<webcrypto.CryptoKey>['verify']>) => webcrypto.subtle.verify(...input),
    ...differs,
  };
}

describe('the two platforms', () => {
  it('export the same names', () => {
    for (const name of Object.keys(node)) expect(Object.keys(browser)).toContain(name);
  });

  it('compute the same hashes', () => {
    expect(encodeHex(node.sha256(new TextEncoder().encode('abc')))).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(browser.sha256(bytes)).toEqual(node.sha256(bytes));
      }),
    );
  });

  it('return hashes in separate memory', () => {
    const first = node.sha256(Uint8Array.of(1));
    const kept = first.slice();
    for (let at = 0; at < 1000; at++) node.sha256(Uint8Array.of(at & 255, 2));
    expect(first).toEqual(kept);
  });
});

describe('the choice of a browser’s backend', () => {
  it('is WebCrypto if it supports Ed25519', async () => {
    expect((await browser.chooseBackend(subtleThat({}))).name).toBe('webcrypto');
  });

  it.each<[string, SubtleEd25519 | undefined]>([
    ['is missing, as on a page without https', undefined],
    ['does not support the algorithm', subtleThat({ importKey: () => Promise.reject(new Error('NotSupportedError')) })],
    [
      'throws at once',
      subtleThat({
        importKey: () => {
          throw new Error('unimplemented');
        },
      }),
    ],
    ['refuses everything', subtleThat({ verify: () => Promise.resolve(false) })],
    ['takes everything', subtleThat({ verify: () => Promise.resolve(true) })],
  ])('is tweetnacl if WebCrypto %s', async (_, subtle) => {
    expect((await browser.chooseBackend(subtle)).name).toBe('tweetnacl');
  });

  it('verifies from the first call', async () => {
    const [vector] = RFC_8032_VECTORS;
    const [key, message, signature] = [bytesOf(vector.key), bytesOf(vector.message), bytesOf(vector.signature)];
    expect(await browser.platformBackend.verify(key, message, signature)).toBe(true);
  });
});
