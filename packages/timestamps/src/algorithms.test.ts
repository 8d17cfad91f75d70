import { webcrypto } from 'node:crypto';
import { AlgorithmIdentifier } from '@peculiar/asn1-x509';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { isSignatureValid } from './algorithms.js';
import { TimestampError } from './timestamp-error.js';

const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const BYTES = Buffer.from('signed');
const INTEGER = 0x02;
const SEQUENCE = 0x30;

const der = (tag: number, ...content: readonly Uint8Array[]): Buffer => {
  const bytes = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag, bytes.length]), bytes]);
};
const shortest = (digits: Buffer): Buffer => {
  const stripped = digits.subarray(digits.findIndex((byte) => byte !== 0));
  return (stripped[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.alloc(1), stripped]) : stripped;
};

let spki: Uint8Array;
let r: Buffer;
let s: Buffer;
beforeAll(async () => {
  const pair = await webcrypto.subtle.generateKey(ECDSA, true, ['sign', 'verify']);
  spki = new Uint8Array(await webcrypto.subtle.exportKey('spki', pair.publicKey));
  // Both with the first bit set, so that they need a byte of zeros in DER.
  do {
    const raw = Buffer.from(await webcrypto.subtle.sign(ECDSA, pair.privateKey, BYTES));
    [r, s] = [raw.subarray(0, 32), raw.subarray(32)];
  } while ((r[0] ?? 0) < 0x80 || (s[0] ?? 0) < 0x80);
});

const check = (signature: Uint8Array): Promise<boolean> =>
  isSignatureValid({
    algorithm: new AlgorithmIdentifier({ algorithm: '1.2.840.10045.4.3.2' }),
    digest: null,
    spki,
    bytes: BYTES,
    signature,
  });
const integer = (digits: Buffer): Buffer => der(INTEGER, digits);

describe('the DER of an ECDSA signature', () => {
  it('is valid in its one form', async () => {
    expect(await check(der(SEQUENCE, integer(shortest(r)), integer(shortest(s))))).toBe(true);
  });

  it.each<[string, () => Buffer]>([
    ['a SET', () => der(0x31, integer(shortest(r)), integer(shortest(s)))],
    ['three numbers', () => der(SEQUENCE, integer(shortest(r)), integer(shortest(s)), integer(Buffer.from([1])))],
    ['a negative number', () => der(SEQUENCE, integer(r), integer(shortest(s)))],
    ['a padded number', () => der(SEQUENCE, integer(shortest(r)), integer(Buffer.concat([Buffer.alloc(2), s])))],
    ['an empty number', () => der(SEQUENCE, integer(Buffer.alloc(0)), integer(shortest(s)))],
  ])('is refused: %s', async (_, signature) => {
    await expect(check(signature())).rejects.toThrow(TimestampError);
  });
});
