import { expect, it } from '@jest/globals';
import { readBounded } from './read-bounded.js';

it('reads a body up to its limit and abandons a longer one', async () => {
  let isAbandoned = false;
  async function* body(): AsyncGenerator<Uint8Array> {
    try {
      yield Buffer.from('12');
      yield Buffer.from('34');
    } finally {
      isAbandoned = true;
    }
  }
  expect(await readBounded(body(), 3)).toBeNull();
  expect(isAbandoned).toBe(true);
  expect(await readBounded(body(), 4)).toEqual(new Uint8Array(Buffer.from('1234')));
  expect(await readBounded(null, 4)).toHaveLength(0);
});

it('reports bytes before it stores them, and abandons the body where that fails', async () => {
  const reported: number[] = [];
  let isAbandoned = false;
  async function* body(): AsyncGenerator<Uint8Array> {
    try {
      yield Buffer.from('12');
      yield Buffer.from('345');
    } finally {
      isAbandoned = true;
    }
  }
  const report = (bytes: number): void => {
    reported.push(bytes);
    if (bytes === 3) throw new Error('no room');
  };
  await expect(readBounded(body(), 10, report)).rejects.toThrow('no room');
  expect([reported, isAbandoned]).toEqual([[2, 3], true]);
});
