import { expect, it } from '@jest/globals';

import { assertJsonFits } from './json-room.js';

const refused = (text: string, heapBytes: number): boolean => {
  try {
    assertJsonFits(new TextEncoder().encode(text), heapBytes);
    return false;
  } catch {
    return true;
  }
};

it.each([
  ['"abcd"', 12],
  ['"abcé"', 28],
  ['[]', 68],
  ['{"a":0}', 14 + 96 + 128],
  ['[1,2]', 10 + 64 + 24],
])('%s is refused where a thread has less than %d bytes', (text, bytes) => {
  expect([refused(text, bytes), refused(text, bytes - 1)]).toEqual([false, true]);
});
