import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { platform as browser } from '../platform/browser.js';
import { platform as node } from '../platform/node.js';
import { BodyHash } from './body-hash.js';

const expected = createHash('sha256').update('one two three').digest('hex');
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe.each([
  ['Node.js', node],
  ['browsers', browser],
])('the hash of a body in %s', (_, platform) => {
  it.each([
    ['one chunk', ['one two three']],
    ['several chunks', ['one ', 'two ', 'three']],
  ])('is that of its bytes: %s', (_name, texts) => {
    const kept = new BodyHash(platform);
    const passed = new BodyHash(platform);
    for (const text of texts) {
      kept.addKept(bytes(text));
      passed.add(bytes(text));
    }
    expect([kept.hex(), passed.hex()]).toEqual([expected, expected]);
  });

  it('takes transient chunks after a kept one', () => {
    const hash = new BodyHash(platform);
    hash.addKept(bytes('one '));
    hash.add(bytes('two three'));
    expect(hash.hex()).toBe(expected);
  });

  it('is that of no bytes without a chunk', () => {
    expect(new BodyHash(platform).hex()).toBe(createHash('sha256').digest('hex'));
  });

  it('does not keep a chunk that may change', () => {
    const hash = new BodyHash(platform);
    const chunk = bytes('one two three');
    hash.add(chunk);
    chunk.fill(0);
    expect(hash.hex()).toBe(expected);
  });
});
