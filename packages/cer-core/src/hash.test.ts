import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { jcsV1, svcV1 } from './profiles.js';
import { hashValue, isSha256Hash, sha256 } from './hash.js';
import * as browser from './platform/browser.js';
import * as node from './platform/node.js';

const independently = (text: string): string => `sha256:${createHash('sha256').update(text, 'utf8').digest('hex')}`;

describe('hash text', () => {
  it('is sha256: and 64 lower-case hexadecimal digits', () => {
    expect(isSha256Hash(sha256('abc'))).toBe(true);
    expect(sha256('abc')).toBe('sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  it.each<[unknown]>([
    ['ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    [`sha256:${'A'.repeat(64)}`],
    [`SHA256:${'a'.repeat(64)}`],
    [`sha256:${'a'.repeat(63)}`],
    [`sha256:${'a'.repeat(65)}`],
    [`sha256:${'a'.repeat(64)}\n`],
    [` sha256:${'a'.repeat(64)}`],
    ['sha256:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='],
    [['sha256:']],
    [7],
    [null],
  ])('is nothing else: %j', (value) => {
    expect(isSha256Hash(value)).toBe(false);
  });
});

describe('hashing a value', () => {
  it('hashes a string as bytes, anything else canonically', () => {
    expect(hashValue('"a"', jcsV1, 'input')).toBe(independently('"a"'));
    expect(hashValue('é', svcV1, 'input')).toBe(independently('é'));
    expect(hashValue({ b: [1.0], a: 'é' }, jcsV1, 'input')).toBe(independently('{"a":"é","b":[1]}'));
    expect(hashValue('', jcsV1, 'input')).toBe(independently(''));
  });

  it.each([svcV1, jcsV1])('refuses an ill-formed string, also under $name', (profile) => {
    expect(() => hashValue('a\ud800', profile, 'input')).toThrow(
      expect.objectContaining({ code: 'CANONICALIZATION_ERROR', path: 'input' }),
    );
  });

  it('names the value that has no canonical form', () => {
    expect(() => hashValue(['\ud800'], jcsV1, 'input')).toThrow(
      expect.objectContaining({ code: 'CANONICALIZATION_ERROR', path: 'input' }),
    );
  });
});

describe('the platforms', () => {
  it('hash and authenticate alike', () => {
    const anyBytes = fc.uint8Array({ maxLength: 200 });
    fc.assert(
      fc.property(anyBytes, anyBytes, fc.string({ unit: 'grapheme' }), (key, message, text) => {
        expect(browser.sha256Hex(message)).toBe(node.sha256Hex(message));
        expect(browser.sha256Hex(text)).toBe(node.sha256Hex(text));
        expect([...browser.hmacSha256(key, message)]).toEqual([...node.hmacSha256(key, message)]);
      }),
    );
  });
});
