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
