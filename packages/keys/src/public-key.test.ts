import { describe, expect, it } from '@jest/globals';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { encodingOf, nonCanonicalY, smallOrderEncodings } from '../test/curve.js';
import { bytesOf, RFC_8032_VECTORS } from '../test/rfc8032.js';
import { encodeBase64, encodeBase64Url } from './base64.js';
import { jwkThumbprint, keyFingerprint } from './fingerprint.js';
import { publicKeyFromJwk, toJwk } from './jwk.js';
import {
  isSamePublicKey,
  publicKeyFromBase64,
  publicKeyFromRaw,
  publicKeyFromSpki,
  publicKeyFromText,
  toSpki,
  toSpkiBase64,
} from './public-key.js';
import { testSigner } from './testing/index.js';

const key = testSigner('public key').publicKey;
const refusedWith = (code: string, message: unknown = expect.any(String)): unknown =>
  expect.objectContaining({ name: 'KeyError', code, message });

describe('reading a public key', () => {
  it('reads the same key from every form', () => {
    expect(publicKeyFromRaw(key.raw)).toEqual(key);
    expect(publicKeyFromSpki(toSpki(key))).toEqual(key);
    expect(publicKeyFromBase64(toSpkiBase64(key))).toEqual(key);
    expect(publicKeyFromBase64(encodeBase64(key.raw))).toEqual(key);
    expect(publicKeyFromJwk(toJwk(key))).toEqual(key);
    for (const text of [toSpkiBase64(key), encodeBase64(key.raw), encodeBase64Url(key.raw)]) {
      expect(publicKeyFromText(text)).toEqual(key);
    }
  });

  it('reads a text once', () => {
    const text = toSpkiBase64(testSigner('read once').publicKey);
    expect(publicKeyFromBase64(text)).toBe(publicKeyFromText(text));
  });

  it('names the rule that bytes break', () => {
    const cases: [() => unknown, string, string][] = [
      [() => publicKeyFromRaw(new Uint8Array(31)), 'KEY_FORMAT_UNSUPPORTED', 'public key: must have 32 bytes'],
      [
        () => publicKeyFromRaw(encodingOf(1n, 0)),
        'KEY_POINT_INVALID',
        'public key: a point of small order or in a non-canonical encoding',
      ],
      [() => publicKeyFromRaw(encodingOf(2n, 0)), 'KEY_POINT_INVALID', 'public key: not a point of the curve'],
      [
        () => publicKeyFromBase64(encodeBase64(new Uint8Array(33))),
        'KEY_FORMAT_UNSUPPORTED',
        'public key: neither SPKI DER nor 32 raw bytes by its length',
      ],
      [
        () => publicKeyFromSpki(toSpki(key).subarray(0, 43)),
        'KEY_FORMAT_UNSUPPORTED',
        'public key: not the SPKI DER of an Ed25519 key',
      ],
    ];
    for (const [read, code, message] of cases) expect(read).toThrow(refusedWith(code, message));
  });

  it('agrees with OpenSSL on SPKI and JWK', () => {
    for (let count = 0; count < 10; count++) {
      const spki = generateKeyPairSync('ed25519').publicKey.export({ format: 'der', type: 'spki' });
      const read = publicKeyFromSpki(spki);
      // Read again: Node.js 20 may wait forever where a key that it has just made is exported as JWK.
      expect(toJwk(read)).toEqual(
        createPublicKey({ key: spki, format: 'der', type: 'spki' }).export({ format: 'jwk' }),
      );
      expect(Buffer.from(toSpki(read))).toEqual(spki);
    }
  });

  it('copies the bytes, also from a Buffer', () => {
    for (const make of [publicKeyFromRaw, (raw: Uint8Array) => publicKeyFromSpki(Buffer.from(toSpki({ raw })))]) {
      const bytes = Buffer.from(key.raw);
      const read = make(bytes);
      bytes.fill(0);
      expect(read).toEqual(key);
      expect(Buffer.isBuffer(read.raw)).toBe(false);
    }
  });

  it.each([0, 31, 33, 44, 64])('rejects %d raw bytes', (length) => {
    expect(() => publicKeyFromRaw(new Uint8Array(length))).toThrow(refusedWith('KEY_FORMAT_UNSUPPORTED'));
  });

  it('rejects small-order and non-canonical points in every form', () => {
    for (const raw of [...smallOrderEncodings(), ...nonCanonicalY()]) {
      const refused = refusedWith('KEY_POINT_INVALID');
      expect(() => publicKeyFromRaw(raw)).toThrow(refused);
      expect(() => publicKeyFromBase64(encodeBase64(raw))).toThrow(refused);
      expect(() => publicKeyFromBase64(toSpkiBase64({ raw }))).toThrow(refused);
      expect(() => publicKeyFromJwk({ kty: 'OKP', crv: 'Ed25519', x: encodeBase64Url(raw) })).toThrow(refused);
    }
  });

  it('rejects bytes that are not on the curve', () => {
    expect(() => publicKeyFromRaw(encodingOf(2n, 0))).toThrow(refusedWith('KEY_POINT_INVALID'));
  });

  it('rejects SPKI of another algorithm or length', () => {
    const { publicKey } = generateKeyPairSync('x25519');
    const spki = toSpki(key);
    for (const wrong of [
      publicKey.export({ format: 'der', type: 'spki' }),
      Uint8Array.from([...spki, 0]),
      spki.subarray(0, 43),
      new Uint8Array(0),
    ]) {
      expect(() => publicKeyFromSpki(wrong)).toThrow(refusedWith('KEY_FORMAT_UNSUPPORTED'));
    }
  });

  it('rejects PEM and non-canonical base64', () => {
    expect(() => publicKeyFromBase64(encodeBase64(new Uint8Array(33)))).toThrow(refusedWith('KEY_FORMAT_UNSUPPORTED'));
    for (const text of [
      toSpkiBase64(key).replace(/=$/, ''),
      `${toSpkiBase64(key)}\n`,
      encodeBase64Url(key.raw),
      `-----BEGIN PUBLIC KEY-----\n${toSpkiBase64(key)}\n-----END PUBLIC KEY-----\n`,
    ]) {
      expect(() => publicKeyFromBase64(text)).toThrow(refusedWith('ENCODING_INVALID'));
    }
  });
});

describe('reading a JWK', () => {
  const jwk = toJwk(key);

  it('accepts unknown members and both algorithm names', () => {
    for (const extra of [
      { kid: 'any' },
      { use: 'sig' },
      { alg: 'EdDSA' },
      { alg: 'Ed25519' },
      { key_ops: ['verify'] },
      { use: null, alg: null },
    ]) {
      expect(publicKeyFromJwk({ ...jwk, ...extra })).toEqual(key);
    }
  });

  it.each<[string, unknown]>([
    ['no object', 'text'],
    ['null', null],
    ['an array', [jwk]],
    ['another key type', { ...jwk, kty: 'EC' }],
    ['another curve', { ...jwk, crv: 'X25519' }],
    ['no x', { kty: 'OKP', crv: 'Ed25519' }],
    ['x that is not text', { ...jwk, x: 5 }],
    ['a private key', { ...jwk, d: jwk.x }],
    ['a key for encryption', { ...jwk, use: 'enc' }],
    ['a key of another algorithm', { ...jwk, alg: 'ES256' }],
    ['x of another length', { ...jwk, x: 'AAAA' }],
    ['members of a prototype', Object.create(jwk)],
  ])('refuses %s', (_, value) => {
    expect(() => publicKeyFromJwk(value)).toThrow(refusedWith('KEY_FORMAT_UNSUPPORTED'));
  });

  it('rejects x with padding', () => {
    expect(() => publicKeyFromJwk({ ...jwk, x: `${jwk.x}=` })).toThrow(refusedWith('ENCODING_INVALID'));
  });
});

describe('comparing and naming keys', () => {
  it('compares keys by their point', () => {
    expect(isSamePublicKey(key, publicKeyFromRaw(key.raw))).toBe(true);
    expect(isSamePublicKey(key, testSigner('another').publicKey)).toBe(false);
    // The other x of the same y: one bit differs.
    const mirrored = Uint8Array.from(key.raw, (byte, at) => (at === 31 ? byte ^ 0x80 : byte));
    expect(isSamePublicKey(key, publicKeyFromRaw(mirrored))).toBe(false);
  });

  it('computes the thumbprint of RFC 8037, appendix A.3', () => {
    const x = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo';
    expect(jwkThumbprint(publicKeyFromJwk({ kty: 'OKP', crv: 'Ed25519', x }))).toBe(
      'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
    );
  });

  it('computes the SHA-256 of the DER as fingerprint', () => {
    // openssl pkey -pubin -outform DER | sha256sum, for the key of RFC 8032, test 1
    expect(keyFingerprint(publicKeyFromRaw(bytesOf(RFC_8032_VECTORS[0].key)))).toBe(
      'sha256:06e3fd8fda29bb60ab59557de61edb0aecdb231134be30e75b455f8e1b792fa9',
    );
  });
});
