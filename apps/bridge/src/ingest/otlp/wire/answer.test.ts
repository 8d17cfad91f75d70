import { expect, it } from '@jest/globals';
import { exportAnswer } from './answer.js';

/** The text of the answer, whose head is two field tags and lengths, and the count. */
function textOf(errorMessage: string): string {
  const { body } = exportAnswer('protobuf', { rejectedSpans: 1, errorMessage });
  const HEAD_BYTES = 3 + 2 + 3;
  if (!(body instanceof Uint8Array)) throw new Error('not bytes');
  return new TextDecoder('utf-8', { fatal: true }).decode(body.subarray(HEAD_BYTES));
}

it.each(['é', '漢', '🦄'])('cuts a long message between characters: %s', (character) => {
  const text = textOf(`x${character.repeat(4096)}`);
  expect(text).toMatch(new RegExp(`^x${character}+$`, 'u'));
  expect(Buffer.byteLength(text)).toBeGreaterThan(4096 - 4);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4096);
});
