import { describe, expect, it } from '@jest/globals';

import { BodyBudget } from './body-budget.js';

const MIB = 1024 * 1024;

const REFUSED = expect.objectContaining({
  refusal: expect.objectContaining({ code: 'SERVICE_UNAVAILABLE', headers: { 'retry-after': '5' } }),
});

describe('large bodies in memory', () => {
  it('share the budget; one alone may have any size', () => {
    const budget = new BodyBudget(4 * MIB);
    const alone = budget.open();
    alone.arrived(10 * MIB);
    alone.release();
    const [first, second] = [budget.open(), budget.open()];
    for (const body of [first, second]) for (let mib = 0; mib < 2; mib += 1) body.arrived(MIB);
    expect(() => {
      second.arrived(1);
    }).toThrow(REFUSED);
    first.release();
    first.release();
    second.arrived(2 * MIB);
    expect(() => {
      budget.open().arrived(MIB + 1);
    }).toThrow(REFUSED);
  });

  it('never block a small body', () => {
    const budget = new BodyBudget(4 * MIB);
    budget.open().arrived(4 * MIB);
    const small = budget.open();
    small.arrived(MIB);
    expect(() => {
      small.arrived(1);
    }).toThrow(REFUSED);
    small.release();
    budget.open().arrived(MIB);
  });

  it('leave room for other holders', () => {
    const budget = new BodyBudget(16 * MIB);
    const [first, second] = [budget.open('a'), budget.open('a')];
    first.arrived(3 * MIB);
    expect(() => {
      second.arrived(2 * MIB);
    }).toThrow(expect.objectContaining({ refusal: expect.objectContaining({ code: 'RATE_LIMITED' }) }));
    budget.open('b').arrived(3 * MIB);
    first.release();
    second.arrived(2 * MIB);
  });
});
