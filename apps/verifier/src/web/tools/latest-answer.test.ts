import { describe, expect, it } from '@jest/globals';

import { LatestAnswer } from './latest-answer.js';

describe('the latest answer', () => {
  it('is the one to the last question, in whatever order they are answered', async () => {
    const latest = new LatestAnswer();
    let answerFirst: (text: string) => void = () => undefined;
    const first = latest.of(new Promise<string>((resolve) => (answerFirst = resolve)));
    expect(await latest.of(Promise.resolve('second'))).toBe('second');
    answerFirst('first');
    expect(await first).toBeNull();
  });

  it('is none once nothing is wanted any more', async () => {
    const latest = new LatestAnswer();
    const answer = latest.of(Promise.resolve('late'));
    latest.forget();
    expect(await answer).toBeNull();
    expect(await latest.of(Promise.resolve('asked again'))).toBe('asked again');
  });
});
