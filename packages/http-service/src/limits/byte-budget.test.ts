import { describe, expect, it } from '@jest/globals';
import { ByteBudget } from './byte-budget.js';

const budgetOf = (totalBytes: number, share?: number) =>
  new ByteBudget({ totalBytes, ...(share !== undefined && { share }), refuse: (exceeded) => new Error(exceeded) });

describe('a byte budget', () => {
  it('bounds the total over all holders', () => {
    const budget = budgetOf(100);
    const [one, other] = [budget.reserve('a'), budget.reserve('b')];
    one.take(60);
    other.take(40);
    expect(() => {
      other.take(1);
    }).toThrow('total');
    one.give(1);
    other.take(1);
    expect(other.exceededBy(1)).toBe('total');
  });

  it('bounds the share of one holder', () => {
    const budget = budgetOf(100, 1 / 4);
    budget.reserve('a').take(20);
    const second = budget.reserve('a');
    second.take(5);
    expect(() => {
      second.assertRoom(1);
    }).toThrow('share');
    budget.reserve('b').take(25);
  });

  it('admits one request alone at any size', () => {
    const budget = budgetOf(100, 1 / 4);
    const alone = budget.reserve('a');
    alone.take(500);
    alone.take(500);
    expect(() => {
      budget.reserve('b').take(1);
    }).toThrow('total');
    alone.release();
    budget.reserve('b').take(500);
  });

  it('returns bytes only once', () => {
    const budget = budgetOf(100);
    const [one, other] = [budget.reserve(), budget.reserve()];
    one.take(50);
    other.take(50);
    one.release();
    one.release();
    one.give(50);
    expect(budget.reserve().exceededBy(51)).toBe('total');
    expect(budget.reserve().exceededBy(50)).toBeNull();
  });

  it('does not count a refused reservation', () => {
    const budget = budgetOf(100);
    const [one, other] = [budget.reserve(), budget.reserve()];
    one.take(50);
    other.take(10);
    expect(() => {
      other.take(100);
    }).toThrow('total');
    one.take(40);
  });
});
