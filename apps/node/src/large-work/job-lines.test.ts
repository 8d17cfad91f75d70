import { describe, expect, it } from '@jest/globals';
import { JobLines } from './job-lines.js';

describe('the lines of waiting jobs', () => {
  it('let holders take turns, each with its jobs in order', () => {
    const lines = new JobLines<string>();
    for (const job of ['a1', 'a2', 'a3', 'a4']) lines.add('a', job);
    expect(lines.next()).toBe('a1');
    for (const job of ['b1', 'b2']) lines.add('b', job);
    expect([lines.next(), lines.next(), lines.next(), lines.next(), lines.next()]).toEqual([
      'a2',
      'b1',
      'a3',
      'b2',
      'a4',
    ]);
    expect(lines.next()).toBeUndefined();
  });
});
