import { describe, expect, it } from '@jest/globals';
import { platform } from '../platform/node.js';
import { foldMessages } from './anthropic-messages.js';
import { BodyHash } from './body-hash.js';
import { Exchange, type Ended } from './exchange.js';
import type { Fold } from './fold.js';
import { foldChat } from './openai-chat.js';

function answerOf(fold: Fold, ...events: readonly string[]): string {
  for (const data of events) fold.push({ name: '', data });
  return JSON.stringify(fold.answer());
}

describe('a folded answer has every member that was sent', () => {
  it.each<[string, () => Fold, readonly string[], string]>([
    [
      'a list called __proto__',
      foldChat,
      ['{"choices":[{"index":0,"delta":{"__proto__":[1],"content":"a"}}]}'],
      '{"choices":[{"message":{"__proto__":[1],"content":"a"},"index":0}]}',
    ],
    [
      'a message with a member __proto__',
      foldMessages,
      ['{"type":"message_start","message":{"id":"m","__proto__":{"a":1}}}'],
      '{"id":"m","__proto__":{"a":1},"content":[]}',
    ],
    [
      'input that is no text',
      foldMessages,
      ['{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","partial_json":null}}'],
      '{"content":[{"type":"tool_use","partial_json":null}]}',
    ],
    [
      'a fallback that names no model',
      foldMessages,
      [
        '{"type":"message_start","message":{"model":"first"}}',
        '{"type":"content_block_start","index":0,"content_block":{"type":"fallback","to":{"model":1}}}',
      ],
      '{"model":"first","content":[{"type":"fallback","to":{"model":1}}]}',
    ],
  ])('%s', (_, fold, events, expected) => {
    expect(answerOf(fold(), ...events)).toBe(expected);
  });
});

it.each([
  ['a code', '{"code":"rate_limit","type":"later"}', 'rate_limit'],
  ['a code that is a number', '{"code":429,"type":"rate_limit_error"}', 'rate_limit_error'],
  ['no code', '{"code":null,"type":"rate_limit_error"}', 'rate_limit_error'],
  ['neither code nor type', '{"message":"later"}', null],
])('a refusal has the code of its provider: %s', (_, error, expected) => {
  const ended: Ended[] = [];
  const call = { url: new URL('http://models.test'), body: null, fold: foldChat, attempt: 0, signal: null };
  const exchange = new Exchange(call, new Response(null, { status: 429 }), {
    maxContentBytes: 1000,
    hash: new BodyHash(platform),
    ended: (end) => ended.push(end),
  });
  exchange.handOn(new TextEncoder().encode(`{"error":${error}}`));
  exchange.end();
  expect(ended).toMatchObject([{ outcome: 'failed', errorCode: expected }]);
});
