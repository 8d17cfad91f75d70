import { describe, expect, it } from '@jest/globals';

import { ResponseBudget, type OutgoingAnswer } from './response-budget.js';

const KIB = 1024;

/** A budget of 1 MiB with a clock that the test sets. */
function budgetOf(): {
  readonly take: (name: string, bytes: number) => OutgoingAnswer;
  readonly cut: readonly string[];
  readonly pass: (ms: number) => void;
} {
  let now = 0;
  const cut: string[] = [];
  const budget = new ResponseBudget(1024 * KIB, () => now);
  return {
    take: (name, bytes) => budget.take(bytes, () => cut.push(name)),
    cut,
    pass: (ms) => (now += ms),
  };
}

const REFUSED = expect.objectContaining({
  refusal: expect.objectContaining({ code: 'SERVICE_UNAVAILABLE', headers: { 'retry-after': '1' } }),
});

describe('large answers in progress', () => {
  it('share the budget; one alone may have any size', () => {
    const { take, cut } = budgetOf();
    take('huge', 5000 * KIB).release();
    take('a', 512 * KIB);
    take('b', 512 * KIB);
    expect(() => take('c', 1)).toThrow(REFUSED);
    expect(cut).toEqual([]);
  });

  it('release their bytes only once', () => {
    const { take } = budgetOf();
    const a = take('a', 600 * KIB);
    take('b', 400 * KIB);
    a.release();
    a.release();
    take('c', 600 * KIB);
    expect(() => take('d', 100 * KIB)).toThrow(REFUSED);
  });

  it('are aborted, oldest first, when read too slowly', () => {
    const { take, cut, pass } = budgetOf();
    take('stalled', 300 * KIB);
    take('drips', 300 * KIB).passed(KIB);
    take('is read', 300 * KIB).passed(200 * KIB);
    pass(2000);
    expect(() => take('too early', 300 * KIB)).toThrow(REFUSED);
    pass(1000);
    take('comes later', 300 * KIB);
    expect(cut).toEqual(['stalled']);
    take('comes last', 300 * KIB);
    expect(cut).toEqual(['stalled', 'drips']);
    expect(() => take('finds no room', 300 * KIB)).toThrow(REFUSED);
  });

  it('keep their bytes until another answer needs them', () => {
    const { take, cut, pass } = budgetOf();
    take('slow', 300 * KIB);
    pass(60_000);
    take('another', 300 * KIB);
    expect(cut).toEqual([]);
  });
});
