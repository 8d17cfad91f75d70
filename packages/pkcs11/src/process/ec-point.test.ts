import { describe, expect, it } from '@jest/globals';
import { testSigner } from '@cer/keys/testing';
import { isEd25519, publicKeyOfPoint } from './ec-point.js';

const { publicKey } = testSigner('point');
const { raw } = publicKey;
const hex = (text: string): Buffer => Buffer.from(text, 'hex');

describe('EC_POINT', () => {
  it.each([
    ['raw', raw],
    ['in an OCTET STRING', Uint8Array.of(0x04, 32, ...raw)],
    ['in a BIT STRING', Uint8Array.of(0x03, 33, 0, ...raw)],
  ])('is read %s', (_form, point) => {
    expect(publicKeyOfPoint(point)).toEqual(publicKey);
  });

  it.each([
    ['nothing', new Uint8Array()],
    ['one byte short', raw.subarray(1)],
    ['one byte long', Uint8Array.of(0, ...raw)],
    ['with another tag', Uint8Array.of(0x05, 32, ...raw)],
    ['with another length', Uint8Array.of(0x04, 31, ...raw)],
    ['with a byte after the OCTET STRING', Uint8Array.of(0x04, 32, ...raw, 0)],
    ['with unused bits in the BIT STRING', Uint8Array.of(0x03, 33, 1, ...raw)],
    ['of small order', Uint8Array.of(1, ...new Uint8Array(31))],
    ['not on the curve', Uint8Array.of(2, ...new Uint8Array(31))],
  ])('is rejected %s', (_fault, point) => {
    expect(publicKeyOfPoint(point)).toBeNull();
  });
});

describe('EC_PARAMS', () => {
  it('names Ed25519 by its OID or its name', () => {
    expect(isEd25519(hex('06032b6570'))).toBe(true);
    expect(isEd25519(hex('130c656477617264733235353139'))).toBe(true);
  });

  it.each(['', '06032b6571', '130a65647761726473343438', '06032b657000', '06032b656e'])(
    'is not Ed25519: %s',
    (other) => {
      expect(isEd25519(hex(other))).toBe(false);
    },
  );
});
