import { growth, type Work } from '@cer/http-service/testing/operations';
import { expect, it } from '@jest/globals';
import type { JsonObject, JsonValue } from '@cer/canonical-json';

// Readers of external input, on n and on 4n of it: operations are counted, not time. Linear work is 4 times as much, a
// sort a little more, quadratic work 16 times. Work inside the engine (a search in a text, a sort) is not counted.
const MOST = 4.6;

export type Case = readonly [name: string, size: number, prepare: (size: number) => Work | Promise<Work>];

export const list = <T>(size: number, make: (at: number) => T): T[] =>
  Array.from({ length: size }, (_, at) => make(at));
export const namedBy = (size: number, make: (at: number) => JsonValue): JsonObject =>
  Object.fromEntries(list(size, (at) => [`k${at}`, make(at)] as const));

/** One test for each case. */
export function expectLinearGrowth(cases: readonly Case[]): void {
  it.each([...cases])('grows with the size of its input: %s', async (_, size, prepare) => {
    const { small, factor } = await growth(size, prepare);
    expect(small).toBeGreaterThan(0);
    expect(factor).toBeLessThan(MOST);
  });
}
