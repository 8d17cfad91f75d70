import { describe, expect, it, jest } from '@jest/globals';
import { jsonOf } from './json-of.js';

describe('bytes of a framework', () => {
  const bytes = Uint8Array.of(1, 2, 3);

  it.each([
    ['an array of bytes', bytes],
    ['a buffer', Buffer.from(bytes)],
  ])('are base64: %s', (_, given) => {
    const toJson = jest.spyOn(Buffer.prototype, 'toJSON');
    const found = jsonOf({ image: given, parts: [given, { data: given }], none: null });
    expect([jsonOf(given), found]).toEqual(['AQID', { image: 'AQID', parts: ['AQID', { data: 'AQID' }], none: null }]);
    // It makes a list with a number per byte.
    expect(toJson).not.toHaveBeenCalled();
    toJson.mockRestore();
  });
});
