import { describe, expect, it } from '@jest/globals';
import { once, whileWaiting } from './while-waiting.js';

describe('a value made while the provider works', () => {
  it('is made in the next turn or when asked for', async () => {
    let turned: () => void = () => undefined;
    const turn = new Promise<void>((resolve) => (turned = resolve));
    const made: string[] = [];
    const [asked, other] = ['asked', 'other'].map((name) => once(() => ({ made: made.push(name) })));
    if (asked === undefined || other === undefined) throw new Error('two values are made');
    whileWaiting(() => turn, asked, other);
    expect(made).toEqual([]);
    expect(asked()).toBe(asked());
    expect(made).toEqual(['asked']);
    turned();
    await turn;
    expect(made).toEqual(['asked', 'other']);
  });

  it('is made again when it is asked for, after a fault', async () => {
    let tries = 0;
    const value = once((): object => {
      tries += 1;
      throw new Error(`try ${tries}`);
    });
    const turn = Promise.resolve();
    whileWaiting(() => turn, value);
    await turn;
    expect(value).toThrow('try 2');
  });
});
