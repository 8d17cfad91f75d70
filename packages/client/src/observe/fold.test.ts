import { describe, expect, it } from '@jest/globals';
import { platform } from '../platform/node.js';
import { foldMessages } from './anthropic-messages.js';
import { BodyHash } from './body-hash.js';
import { Exchange, type Ended } from './exchange.js';
import type { Json, JsonMembers } from '../json.js';
import { addDelta, type Fold } from './fold.js';
import { foldGemini } from './google-gemini.js';
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

it('finds the items of a long list without a search', () => {
  let reads = 0;
  const item = (index: number): JsonMembers => ({
    get index(): number {
      reads += 1;
      return index;
    },
    text: 'a',
  });
  const draft: Record<string, Json> = {};
  for (let index = 0; index < 100; index += 1) addDelta(draft, { list: [item(index)] });
  expect(reads).toBe(100);
  for (const text of ['a', 'b']) addDelta(draft, { list: [{ index: 100, text }] });
  expect(draft['list']).toHaveLength(101);
  expect(draft['list']).toMatchObject({ 100: { index: 100, text: 'ab' } });
});

it('adds a citation to the list itself', () => {
  const fold = foldMessages();
  const citations = (): Json | undefined => {
    fold.push({
      name: '',
      data: '{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{}}}',
    });
    const { content } = fold.answer();
    return Array.isArray(content) ? (content as readonly JsonMembers[])[0]?.['citations'] : undefined;
  };
  fold.push({ name: '', data: '{"type":"content_block_start","index":0,"content_block":{"type":"text"}}' });
  const first = citations();
  expect(citations()).toBe(first);
  expect(first).toEqual([{}, {}]);
});

it.each([
  ['null and an absent one', 'null', '', 1],
  ['equal lists', '"index":[1],', '"index":[1],', 1],
  ['a number and its text', '"index":1,', '"index":"1",', 2],
])('tells the places of choices by the JSON of their index: %s', (_, one, other, places) => {
  const fold = foldChat();
  for (const index of [one === 'null' ? '"index":null,' : one, other]) {
    fold.push({ name: '', data: `{"choices":[{${index}"delta":{"content":"a"}}]}` });
  }
  expect(fold.answer()['choices']).toHaveLength(places);
});

it('keeps of a stream over the limit no members, and no more choices than a provider gives', () => {
  for (const [fold, list, reason] of [
    [foldChat(), 'choices', 'finish_reason'],
    [foldGemini(), 'candidates', 'finishReason'],
  ] as const) {
    const push = (index: number | string): void => {
      fold.push({ name: '', data: JSON.stringify({ [`member ${index}`]: 1, [list]: [{ index, [reason]: 'stop' }] }) });
      fold.forget();
    };
    for (let index = 0; index < 1000; index += 1) push(index);
    expect(fold.isWhole).toBe(true);
    expect(Object.keys(fold.answer())).not.toContain('member 999');
    for (let index = 1000; index < 2500; index += 1) push(index);
    expect(fold.answer()[list] ?? []).toHaveLength(498);
    expect(fold.isWhole).toBe(false);
    push('of any length');
    expect(fold.answer()[list] ?? []).toHaveLength(0);
  }
});

it('binds by its bytes an answer with a part that cannot be folded', () => {
  const ended: Ended[] = [];
  const exchange = new Exchange(
    { url: new URL('http://models.test'), body: null, model: null, fold: foldChat, attempt: 0, signal: null },
    new Response(null, { headers: { 'content-type': 'text/event-stream' } }),
    { maxContentBytes: 10_000_000, hash: new BodyHash(platform), ended: (end) => ended.push(end) },
  );
  const deep = `{"choices":[{"delta":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}]}`;
  for (const data of [deep, deep, '[DONE]']) exchange.handOn(new TextEncoder().encode(`data: ${data}\n\n`));
  expect(ended).toMatchObject([{ outcome: 'complete', output: null }]);
});

it.each([
  ['Text/Event-Stream; Charset=UTF-8', true],
  ['Application/X-NDJSON', true],
  ['text/plain', false],
])('the type of an answer is read in either case: %s', (type, streamed) => {
  const ended: Ended[] = [];
  const exchange = new Exchange(
    { url: new URL('http://models.test'), body: null, model: null, fold: foldChat, attempt: 0, signal: null },
    new Response(null, { headers: { 'content-type': type } }),
    { maxContentBytes: 1000, hash: new BodyHash(platform), ended: (end) => ended.push(end) },
  );
  exchange.end();
  expect(ended).toMatchObject([{ streamed }]);
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
