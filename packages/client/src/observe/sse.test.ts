import { describe, expect, it, jest } from '@jest/globals';

import { SseReader } from './sse.js';

const EVENTS = [
  ': a comment\n\n',
  'event: greeting\nid: 7\ndata: {"text":\ndata: "Grüße aus 東京 🗼"}\n\n',
  'data:first\nretry: 5\n\n',
  'data: [DONE]\n\n',
];
const DATA = ['{"text":\n"Grüße aus 東京 🗼"}', 'first', '[DONE]'];

function dataOf(text: string, chunkBytes: number): string[] {
  const bytes = new TextEncoder().encode(text);
  const found: string[] = [];
  const reader = new SseReader(1000);
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    reader.push(bytes.slice(at, at + chunkBytes), ({ data }) => found.push(data));
  }
  return found;
}

describe('reading server-sent events', () => {
  it.each([
    ['line feeds', '\n'],
    ['carriage returns', '\r'],
    ['both', '\r\n'],
  ])('ends lines with %s, wherever chunks are cut', (_, lineEnd) => {
    const text = EVENTS.join('').replaceAll('\n', lineEnd);
    for (const chunkBytes of [1, 2, 3, 7, 1000]) expect(dataOf(text, chunkBytes)).toEqual(DATA);
  });

  it('ends an event before the second half of its line end', () => {
    expect(dataOf('data: [DONE]\r\n\r', 1000)).toEqual(['[DONE]']);
  });

  it('reads an error before the event behind it, wherever chunks are cut', () => {
    for (const error of ['{"error":1}', '{\n  "error": {\n    "code": 1\n  }\n}']) {
      for (const chunkBytes of [1, 7, 1000]) {
        const found = dataOf(`${error}\nid: 1\ndata: a\n\n`, chunkBytes);
        expect(found.map((data) => data.trim())).toEqual([error, 'a']);
      }
    }
  });

  it('takes a byte order mark for no part of the first line', () => {
    for (const chunkBytes of [1, 2, 3, 1000])
      expect(dataOf('\ufeffdata: \ufeffa\n\n', chunkBytes)).toEqual(['\ufeffa']);
  });

  it.each([[[0xff]], [[0xe2, 0x82]], [[0xf0]]])(
    'reads in the last of lines a character that is cut off: %j',
    (rest) => {
      const found: string[] = [];
      const reader = new SseReader(1000, 'lines');
      reader.push(Uint8Array.from([...Buffer.from('{"a":1}'), ...rest]), ({ data }) => found.push(data));
      reader.end(({ data }) => found.push(data));
      expect(found).toEqual(['{"a":1}\ufffd']);
    },
  );

  it('searches a line once, in however many chunks it arrives', () => {
    const text = `data: ${'x'.repeat(200_000)}\n\n`;
    const bytes = new TextEncoder().encode(text);
    const reader = new SseReader(1_000_000);
    const lengths: number[] = [];
    const search = jest.spyOn(String.prototype, 'indexOf');
    for (let at = 0; at < bytes.length; at += 1000) {
      reader.push(bytes.subarray(at, at + 1000), ({ data }) => lengths.push(data.length));
    }
    const searched = search.mock.contexts.map((text) => String(text).length).reduce((sum, length) => sum + length, 0);
    search.mockRestore();
    expect(lengths).toEqual([200_000]);
    expect(searched).toBeLessThan(5 * text.length);
  });

  it('reads a line in any number of chunks', () => {
    for (const length of [255, 256, 257, 600]) {
      const data = 'ab'.repeat(length).slice(0, length);
      expect(dataOf(`data:${data}\n\ndata:next\n\n`, 1)).toEqual([data, 'next']);
    }
  });
});
