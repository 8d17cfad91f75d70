import { describe, expect, it } from '@jest/globals';
import { ByteParts } from './byte-parts.js';

/** Parts of these sizes. Every byte differs from its neighbours, so that one at the wrong place is seen. */
function partsOf(sizes: readonly number[]): readonly Uint8Array[] {
  let at = 0;
  return sizes.map((size) => Uint8Array.from({ length: size }, () => at++ % 251));
}

function collected(parts: readonly Uint8Array[]): ByteParts {
  const bytes = new ByteParts();
  for (const part of parts) bytes.add(part);
  return bytes;
}

/** Bytes of all memory that is kept. */
function keptBytes(bytes: ByteParts): number {
  const memory = new Set(bytes.parts().map(({ buffer }) => buffer));
  return [...memory].reduce((sum, { byteLength }) => sum + byteLength, 0);
}

const alternating = (small: number): readonly number[] =>
  Array.from({ length: 200 }, (_, at) => (at % 2 === 0 ? small : 4096));

describe('bytes that arrive in parts', () => {
  it.each<[string, readonly number[]]>([
    ['no part', []],
    ['empty parts', [0, 0, 3, 0]],
    ['one small part', [7]],
    ['many small parts', Array.from({ length: 10_000 }, (_, at) => at % 7)],
    ['large parts', [5_000, 70_000, 4_096]],
    ['small parts between large ones', alternating(1)],
    ['parts that fill blocks exactly', [1, 1_024, 1_024, 4_095, 4_096, 4_095]],
  ])('are whole and in order after %s', (_name, sizes) => {
    const parts = partsOf(sizes);
    const bytes = collected(parts);
    const sent = Buffer.concat(parts);
    expect(bytes.size).toBe(sent.length);
    expect(Buffer.compare(bytes.joined(), sent)).toBe(0);
    expect(Buffer.compare(Buffer.concat(bytes.parts()), sent)).toBe(0);
  });

  it('are whole when read before the last part', () => {
    const bytes = collected(partsOf([3, 3]));
    expect([...bytes.joined()]).toEqual([0, 1, 2, 3, 4, 5]);
    bytes.add(Uint8Array.of(9));
    expect([...bytes.joined()]).toEqual([0, 1, 2, 3, 4, 5, 9]);
  });

  it('take few objects when sent one by one', () => {
    expect(collected(partsOf(new Array<number>(300_000).fill(1))).parts().length).toBeLessThan(20);
  });

  it.each<[string, readonly number[]]>([
    ['single bytes', new Array<number>(300_000).fill(1)],
    ['a byte before each large part', alternating(1)],
    ['parts just below a large one', new Array<number>(300).fill(4_095)],
  ])('take at most twice their memory as %s', (_name, sizes) => {
    const bytes = collected(partsOf(sizes));
    expect(keptBytes(bytes)).toBeLessThan(2 * bytes.size);
  });

  it('are kept without a copy in one part or large ones', () => {
    const [only = new Uint8Array(), ...large] = partsOf([2_000, 4_096, 64 * 1024]);
    expect(collected([only]).parts()[0]).toBe(only);
    expect(collected([only, ...large]).parts()).toEqual([only, ...large]);
    expect(collected([only, ...large]).parts()[2]).toBe(large[1]);
  });
});
