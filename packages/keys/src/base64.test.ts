import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeBase64, decodeBase64Url, encodeBase64, encodeBase64Url } from './base64.js';
import { encodeHex } from './hex.js';

const anyBytes = fc.uint8Array({ maxLength: 100 });
const refused = expect.objectContaining({ name: 'KeyError', code: 'ENCODING_INVALID' });

describe('base64', () => {
  it.each([
    ['', ''],
    ['f', 'Zg=='],
    ['fo', 'Zm8='],
    ['foo', 'Zm9v'],
    ['foob', 'Zm9vYg=='],
    ['fooba', 'Zm9vYmE='],
    ['foobar', 'Zm9vYmFy'],
  ])('writes and reads the RFC 4648 vector %j', (plain, encoded) => {
    const bytes = new TextEncoder().encode(plain);
    expect(encodeBase64(bytes)).toBe(encoded);
    expect(decodeBase64(encoded)).toEqual(bytes);
  });

  it('agrees with Node for any bytes, in both alphabets', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        expect(encodeBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
        expect(encodeBase64Url(bytes)).toBe(Buffer.from(bytes).toString('base64url'));
        expect(decodeBase64(encodeBase64(bytes))).toEqual(bytes);
        expect(decodeBase64Url(encodeBase64Url(bytes))).toEqual(bytes);
      }),
    );
  });

  it('agrees with Node for long bytes', () => {
    for (const length of [3071, 3072, 3073, 100_000]) {
      const bytes = Uint8Array.from({ length }, (_, at) => (at * 7) % 256);
      expect(encodeBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
      expect(encodeBase64Url(bytes)).toBe(Buffer.from(bytes).toString('base64url'));
    }
  });

  it('decodes only its own encoding', () => {
    const symbols = fc.string({ unit: fc.constantFrom(...Array.from('ABQgwz019+/-_= \n')), maxLength: 9 });
    fc.assert(
      fc.property(symbols, (text) => {
        for (const [decode, encode] of [
          [decodeBase64, encodeBase64] as const,
          [decodeBase64Url, encodeBase64Url] as const,
        ]) {
          let bytes: Uint8Array;
          try {
            bytes = decode(text);
          } catch (error) {
            expect(error).toEqual(refused);
            continue;
          }
          expect(encode(bytes)).toBe(text);
        }
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    ['set bits after the last byte', 'Zh=='],
    ['set bits after the last but one', 'Zm9='],
    ['missing padding', 'Zg'],
    ['half the padding', 'Zg='],
    ['too much padding', 'Zg==='],
    ['padding of a full group', 'Zm9v===='],
    ['one pad where the last symbol is dropped', 'AAA=AAA='],
    ['padding only', '===='],
    ['a single symbol', 'Z'],
    ['a symbol and three pads', 'Z==='],
    ['white space inside', 'Zm 9v'],
    ['a line end', 'Zm9v\n'],
    ['the url alphabet', '-_-_'],
    ['a character beyond ASCII', 'Zm9é'],
    ['a NUL', 'Zm9\0'],
  ])('refuses %s', (_, text) => {
    expect(() => decodeBase64(text)).toThrow(refused);
  });

  it.each([
    ['padding', 'Zg=='],
    ['set bits after the last byte', 'Zh'],
    ['the standard alphabet', '+/+/'],
    ['a length that fits no bytes', 'Zm9vY'],
    ['white space', 'Zg '],
  ])('refuses %s in base64url', (_, text) => {
    expect(() => decodeBase64Url(text)).toThrow(refused);
  });

  it('accepts one spelling of a 64-byte signature only', () => {
    const text = encodeBase64Url(new Uint8Array(64).fill(0xab));
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const read = Array.from(alphabet).filter((last) => {
      try {
        return encodeHex(decodeBase64Url(text.slice(0, -1) + last)) === 'ab'.repeat(64);
      } catch {
        return false;
      }
    });
    expect(read).toEqual([text.slice(-1)]);
  });

  it('never quotes the rejected text', () => {
    expect(() => decodeBase64('secret!!')).toThrow(/^base64: a character outside the alphabet$/);
  });
});

describe('hex', () => {
  it('writes two lower-case digits per byte', () => {
    expect(encodeHex(Uint8Array.of(0, 9, 16, 171, 255))).toBe('000910abff');
  });
});
