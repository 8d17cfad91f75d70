import { describe, expect, it } from '@jest/globals';

import { LatestAnswer } from './latest-answer.js';

describe('the latest answer', () => {
  it('answers the last question, in any order', async () => {
    const latest = new LatestAnswer();
    let answerFirst: (text: string) => void = () => undefined;
    const first = latest.of(new Promise<string>((resolve) => (answerFirst = resolve)));
    expect(await latest.of(Promise.resolve('second'))).toBe('second');
    answerFirst('first');
    expect(await first).toBeNull();
  });

  it('is dropped after cancellation', async () => {
    const latest = new LatestAnswer();
    const answer = latest.of(Promise.resolve('late'));
    latest.forget();
    expect(await answer).toBeNull();
    expect(await latest.of(Promise.resolve('asked again'))).toBe('asked again');
  });
});
