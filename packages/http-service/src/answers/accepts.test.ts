import { describe, expect, it } from '@jest/globals';
import { accepts, prefers, weightOf } from './accepts.js';

const accepting = (accept: string) => ({ headers: { accept } });

describe('the weight of a media type', () => {
  it.each([
    ['text/html', 1],
    ['TEXT/HTML;Q=0.4', 0.4],
    ['text/*;q=0.3, */*;q=0.2', 0.3],
    ['*/*;q=0.2', 0.2],
    ['text/html;q=0, */*', 0],
    ['text/plain', 0],
  ])('is that of the most specific range: %s', (accept, weight) => {
    expect(weightOf(accepting(accept), 'text/html')).toBe(weight);
  });

  it.each([
    ['text/html;q=0.1, text/html;q=0.7', 0.7],
    ['text/html;q=0.7, text/html', 1],
    ['text/html;level=1;q=0.1, text/html;q=0.9', 0.9],
    ['text/html;level=1, text/html;q=0.2', 0.2],
    ['text/html;level=1;q=0.1, text/html;level=2;q=0.3', 0.3],
    ['*/*;q=0.1, */*;q=0.6', 0.6],
  ])('is not that of the first of several ranges: %s', (accept, weight) => {
    expect(weightOf(accepting(accept), 'text/html')).toBe(weight);
  });

  it('agrees with what is accepted', () => {
    const refused = accepting('text/html;level=1, text/html;q=0');
    expect([accepts(refused, 'text/html'), weightOf(refused, 'text/html')]).toEqual([false, 0]);
    const both = accepting('image/png;q=0.1, application/json;q=0.5, image/png');
    expect(prefers(both, 'application/json', 'image/png')).toBe(false);
  });
});
