import { describe, expect, it } from '@jest/globals';
import { endingWith } from './ending-with.js';

describe('a stream with an end', () => {
  const endings = ['read to its end', 'left early', 'failing', 'never read'] as const;

  it.each(endings)('runs it once when %s', async (how) => {
    let ends = 0;
    async function* parts(): AsyncGenerator<number> {
      yield 1;
      if (how === 'failing') throw new Error('no more');
      yield 2;
    }
    const stream = endingWith(parts(), async () => {
      ends += 1;
    });
    const read = async (): Promise<void> => {
      for await (const part of stream) if (how === 'left early' && part === 1) break;
    };
    if (how === 'never read') await stream[Symbol.asyncIterator]().return?.();
    else if (how === 'failing') await expect(read()).rejects.toThrow('no more');
    else await read();
    expect(ends).toBe(1);
  });
});
