import { describe, expect, it } from '@jest/globals';
import { messageId } from './message-id.js';

const idOf = (start: string, end: string): unknown => messageId([Buffer.from(start), Buffer.from(end)]);

describe('the id of a message', () => {
  it.each([
    ['{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"text":"', '"}}', 7],
    [' { "method" : "a" , "id" : "call-7" , "params" : [', ']}', 'call-7'],
    ['{"method":"a","params":{"text":"', '"},"jsonrpc":"2.0","id":-7}', -7],
    ['{"method":"a","params":{"text":"', '"} , "id" : "x" , "jsonrpc" : "2.0" }\r', 'x'],
  ])('is read of %s … %s', (start, end, id) => {
    expect(idOf(start, end)).toBe(id);
  });

  it.each([
    ['{"method":"a","params":{"id":7,"text":"', '"}}'],
    ['{"method":"a","params":{"text":"', '","id":7}}'],
    ['{"method":"a","params":{"text":"', String.raw`\",\"id\":7}`],
    ['{"method":"a","params":{"text":"', String.raw`"},"x\",\"id":7}`],
    ['[{"id":7,"text":"', '"}]'],
    ['{"method":"a","params":"', '"}'],
    ['{"id":null,"params":"', '"}'],
    ['{"id":1.5,"params":"', '"}'],
  ])('is null of %s … %s', (start, end) => {
    expect(idOf(start, end)).toBeNull();
  });
});
