import { describe, expect, it } from '@jest/globals';
import { platform } from '../platform/node.js';
import { foldMessages } from './anthropic-messages.js';
import { BodyHash } from './body-hash.js';
import { Exchange, type Ended } from './exchange.js';
import type { Json, JsonMembers } from '../json.js';
import { addDelta, type Fold } from './fold.js';
import { foldChat } from './openai-chat.js';
import { foldResponses } from './openai-responses.js';

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
      'a choice with a member __proto__',
      foldChat,
      ['{"choices":[{"index":0,"delta":{},"__proto__":{"a":1}}]}'],
      '{"choices":[{"message":{},"index":0,"__proto__":{"a":1}}]}',
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
    [
      'text after a list of parts',
      foldChat,
      [
        '{"choices":[{"index":0,"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm"}]}]}}]}',
        '{"choices":[{"index":0,"delta":{"content":"Lis"}}]}',
        '{"choices":[{"index":0,"delta":{"content":"bon"}}]}',
      ],
      '{"choices":[{"message":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm"}]},' +
        '{"type":"text","text":"Lisbon"}]},"index":0}]}',
    ],
    [
      'a list of parts after text',
      foldChat,
      [
        '{"choices":[{"index":0,"delta":{"content":"","also":""}}]}',
        '{"choices":[{"index":0,"delta":{"content":"a","also":[1]}}]}',
        '{"choices":[{"index":0,"delta":{"content":[{"type":"reference","reference_ids":[1]}],"also":""}}]}',
      ],
      '{"choices":[{"message":{"content":[{"type":"text","text":"a"},{"type":"reference","reference_ids":[1]}],' +
        '"also":[1]},"index":0}]}',
    ],
    [
      'an interrupted call of a tool',
      foldResponses,
      [
        '{"type":"response.created","response":{"id":"r","output":[]}}',
        '{"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning","summary":[]}}',
        '{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":0,"delta":"a"}',
        '{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":1,"delta":"b"}',
        '{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","summary":["a","b"]}}',
        '{"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","name":"pay"}}',
        '{"type":"response.function_call_arguments.delta","output_index":1,"delta":"{"}',
      ],
      '{"id":"r","output":[{"type":"reasoning","summary":["a","b"]},{"type":"function_call","name":"pay"}],' +
        '"partial":{"[\\"response.reasoning_summary_text.delta\\",0,0]":"a",' +
        '"[\\"response.reasoning_summary_text.delta\\",0,1]":"b",' +
        '"[\\"response.function_call_arguments.delta\\",1,null]":"{"}}',
    ],
  ])('%s', (_, fold, events, expected) => {
    expect(answerOf(fold(), ...events)).toBe(expected);
  });
});

describe('a member that chunks state again is not appended', () => {
  it.each<[string, readonly string[], string]>([
    [
      'the verdicts of a content filter',
      [
        '{"choices":[{"index":0,"delta":{},"content_filter_results":{"hate":{"filtered":false,"severity":"safe"}}}]}',
        '{"choices":[{"index":0,"delta":{},"content_filter_results":{"hate":{"filtered":false,"severity":"low"}}}]}',
        '{"choices":[{"index":0,"delta":{},"finish_reason":"stop","content_filter_results":{}}]}',
      ],
      '{"message":{},"index":0,"content_filter_results":{"hate":{"filtered":false,"severity":"low"}},' +
        '"finish_reason":"stop"}',
    ],
    [
      'the message so far beside its delta',
      [
        '{"choices":[{"index":0,"delta":{"content":"a"},"message":{"role":"assistant","content":"a"}}]}',
        '{"choices":[{"index":0,"delta":{"content":"b"},"message":{"role":"assistant","content":"ab"}}]}',
      ],
      '{"message":{"content":"ab","role":"assistant"},"index":0}',
    ],
    [
      'the format of details of the reasoning',
      [
        '{"choices":[{"index":0,"delta":{"reasoning_details":[{"index":0,"format":"v1","text":"a"}]}}]}',
        '{"choices":[{"index":0,"delta":{"reasoning_details":[{"index":0,"format":"v1","text":"b"}]}}]}',
      ],
      '{"message":{"reasoning_details":[{"index":0,"format":"v1","text":"ab"}]},"index":0}',
    ],
  ])('%s', (_, events, choice) => {
    expect(answerOf(foldChat(), ...events)).toBe(`{"choices":[${choice}]}`);
  });
});

it('joins the text and the log probabilities of a choice', () => {
  const events = ['a', 'b'].map(
    (text) => `{"choices":[{"index":0,"text":"${text}","logprobs":{"tokens":["${text}"]}}]}`,
  );
  expect(answerOf(foldChat(), ...events)).toBe('{"choices":[{"index":0,"text":"ab","logprobs":{"tokens":["a","b"]}}]}');
});

it('is not failed by an error that is null', () => {
  const fold = foldChat();
  fold.push({ name: '', data: '{"error":null,"choices":[{"index":0,"delta":{"content":"a"}}]}' });
  expect(fold.end).toBe('open');
});

it('adds to a long list without a copy or a search', () => {
  let reads = 0;
  const item = (): JsonMembers => ({
    get index(): null {
      reads += 1;
      return null;
    },
  });
  const draft: Record<string, Json> = {};
  addDelta(draft, { list: [item()] });
  const { list } = draft;
  for (let added = 1; added < 10; added += 1) addDelta(draft, { list: [item()] });
  expect(draft['list']).toBe(list);
  expect(list).toHaveLength(10);
  expect(reads).toBe(10);
});

it.each([
  ['a code', '{"code":"rate_limit","type":"later"}', 'rate_limit'],
  ['a code that is a number', '{"code":429,"type":"rate_limit_error"}', 'rate_limit_error'],
  ['no code', '{"code":null,"type":"rate_limit_error"}', 'rate_limit_error'],
  ['neither code nor type', '{"message":"later"}', null],
])('a refusal has the code of its provider: %s', (_, error, expected) => {
  const ended: Ended[] = [];
  const call = {
    url: new URL('http://models.test'),
    body: null,
    model: null,
    fold: foldChat,
    attempt: 0,
    signal: null,
  };
  const exchange = new Exchange(call, new Response(null, { status: 429 }), {
    maxContentBytes: 1000,
    hash: new BodyHash(platform),
    ended: (end) => ended.push(end),
  });
  exchange.handOn(new TextEncoder().encode(`{"error":${error}}`));
  exchange.end();
  expect(ended).toMatchObject([{ outcome: 'failed', errorCode: expected }]);
});
