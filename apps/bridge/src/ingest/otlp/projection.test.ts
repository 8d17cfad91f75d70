import { describe, expect, it } from '@jest/globals';
import type { JsonObject, JsonValue } from '@cer/canonical-json';
import { evidenceOf, project } from './projection.js';
import type { Span } from './spans/span.js';
import { genAi } from './dialects/gen-ai.js';
import { dialectOf, DIALECTS } from './dialects/registry.js';

function span(attributes: JsonObject, events: readonly (readonly [string, JsonObject])[] = []): Span {
  const entries = (members: JsonObject): Map<string, JsonValue> =>
    new Map(Object.entries(members).map(([name, value]) => [name, value ?? null]));
  return {
    traceId: '0af7651916cd43dd8448eb211c80319c',
    spanId: 'b7ad6b7169203331',
    parentSpanId: '00f067aa0ba902b7',
    name: 'a span',
    startNano: 1_767_323_045_678_901_234n,
    endNano: 1_767_323_046_000_000_000n,
    attributes: entries(attributes),
    droppedAttributes: 0,
    events: events.map(([name, members]) => ({ name, attributes: entries(members), droppedAttributes: 0 })),
    droppedEvents: 0,
    status: 'ok',
    resource: new Map([['service.name', 'shop']]),
  };
}

/** The certify request of a span, in the parts that dialects differ in. */
function requestOf(given: Span): JsonObject {
  const dialect = dialectOf(given);
  if (dialect === null) throw new Error('no model call');
  const projected = project(given, dialect, evidenceOf(given, dialect), {
    protocolVersion: '1.2.0',
    content: 'required',
  });
  if ('refusal' in projected) throw new Error(projected.refusal);
  return projected.request;
}

function payloadOf(request: JsonObject): unknown {
  const [signal] = request['signals'] as readonly { readonly payload: unknown }[];
  return signal?.payload;
}

const QUESTION = [{ role: 'user', parts: [{ type: 'text', content: 'Q' }] }];
const ANSWER = [
  {
    role: 'assistant',
    parts: [
      { type: 'text', content: 'A' },
      { type: 'tool_call', id: 'c1', name: 'weather', arguments: { place: 'X' } },
    ],
  },
];
const CURRENT: JsonObject = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'openai',
  'gen_ai.request.model': 'gpt-4o',
  'gen_ai.response.model': 'gpt-4o-2024-08-06',
  'gen_ai.request.temperature': 0.5,
  'gen_ai.request.top_k': 40,
  'gen_ai.usage.input_tokens': 3,
  'gen_ai.usage.output_tokens': 4,
  'gen_ai.response.finish_reasons': ['stop'],
  'gen_ai.conversation.id': 'conv-1',
};

describe('the spans of Logfire', () => {
  const asked: JsonObject = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.system': 'openai',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'gpt-4o',
    'gen_ai.input.messages': JSON.stringify(QUESTION),
    'logfire.msg_template': 'Chat Completion with {request_data[model]!r}',
  };
  const streamed: JsonObject = {
    ...asked,
    'logfire.msg_template': 'streaming response from {request_data[model]!r} took {duration:.2f}s',
    'gen_ai.response.id': 'c1',
    'gen_ai.output.messages': JSON.stringify(ANSWER),
  };

  it('are a call where they have its answer, or that it failed', () => {
    const answered = { ...asked, 'gen_ai.response.id': 'c1', 'gen_ai.output.messages': JSON.stringify(ANSWER) };
    expect(dialectOf(span(answered))?.name).toBe('logfire');
    expect(dialectOf(span(streamed))?.name).toBe('logfire');
    expect(dialectOf({ ...span(asked), status: 'error' })?.name).toBe('logfire');
    expect(dialectOf(span({ ...asked, 'gen_ai.operation.name': 'embeddings' }))?.name).toBe('logfire');
  });

  it('are no second call where a stream was only asked for', () => {
    expect(dialectOf({ ...span(asked), status: 'unset' })).toBeNull();
  });

  it.each<[string, JsonObject, string]>([
    ['complete', { 'gen_ai.response.finish_reasons': '["stop"]' }, 'complete'],
    ['truncated', { 'gen_ai.response.finish_reasons': '["length"]' }, 'truncated'],
    ['aborted without a reason', {}, 'aborted'],
  ])('have a stream that is %s', (_, members, outcome) => {
    const request = requestOf({ ...span({ ...streamed, ...members }), status: 'unset' });
    expect(payloadOf(request)).toMatchObject({ dialect: 'logfire', outcome });
  });
});

describe('the current gen_ai conventions', () => {
  const expected = {
    provider: 'openai',
    model: 'gpt-4o',
    modelVersion: 'gpt-4o-2024-08-06',
    parameters: { temperature: 0.5 },
    input: { messages: QUESTION },
    output: { messages: ANSWER },
    createdAt: '2026-01-02T03:04:05.678901234Z',
    timestamp: '2026-01-02T03:04:05.678901234Z',
    executionId: 'otel:0af7651916cd43dd8448eb211c80319c:b7ad6b7169203331',
  };
  const messages = { 'gen_ai.input.messages': QUESTION, 'gen_ai.output.messages': ANSWER };
  const texts = {
    'gen_ai.input.messages': JSON.stringify(QUESTION),
    'gen_ai.output.messages': JSON.stringify(ANSWER),
  };

  it.each<[string, Span]>([
    ['structured attributes', span({ ...CURRENT, ...messages })],
    ['JSON text in attributes', span({ ...CURRENT, ...texts })],
    ['an event', span(CURRENT, [['gen_ai.client.inference.operation.details', messages]])],
    ['JSON text in an event', span(CURRENT, [['gen_ai.client.inference.operation.details', texts]])],
  ])('give the same request for content in %s', (_, given) => {
    const request = requestOf(given);
    expect(request).toMatchObject(expected);
    expect(request).toEqual(requestOf(span({ ...CURRENT, ...messages })));
  });

  it.each([
    ['stop', 'complete'],
    ['length', 'truncated'],
    ['error', 'failed'],
  ])('have an answer that ended by %s in its messages alone', (reason, outcome) => {
    const answer = [{ role: 'assistant', parts: [{ type: 'text', content: 'A' }], finish_reason: reason }];
    const given = { ...CURRENT, ...messages, 'gen_ai.output.messages': answer, 'gen_ai.response.finish_reasons': [] };
    const payload = payloadOf(requestOf({ ...span(given), status: 'unset' }));
    expect(payload).toMatchObject({ outcome, finishReasons: [reason] });
  });

  it('puts everything but content into one signal', () => {
    const request = requestOf(
      span({ ...CURRENT, ...messages, 'user.id': 'SECRET', 'url.full': 'SECRET' }, [
        ['exception', { 'exception.message': 'SECRET' }],
      ]),
    );
    expect(payloadOf(request)).toEqual({
      projection: 'otel.v2',
      dialect: 'gen_ai',
      operation: 'chat',
      traceId: '0af7651916cd43dd8448eb211c80319c',
      spanId: 'b7ad6b7169203331',
      parentSpanId: '00f067aa0ba902b7',
      startTime: '2026-01-02T03:04:05.678901234Z',
      endTime: '2026-01-02T03:04:06.000000000Z',
      status: 'ok',
      outcome: 'complete',
      contentRecorded: { input: true, output: true },
      request: { topK: 40 },
      usage: { inputTokens: 3, outputTokens: 4 },
      finishReasons: ['stop'],
      toolCalls: [{ id: 'c1', name: 'weather' }],
      workflow: { conversationId: 'conv-1' },
      service: { name: 'shop' },
    });
    expect(JSON.stringify(request)).not.toContain('SECRET');
  });
});

describe('the older gen_ai conventions', () => {
  it('have one event for each message and choice', () => {
    const { 'gen_ai.provider.name': provider, ...rest } = CURRENT;
    const request = requestOf(
      span({ ...rest, 'gen_ai.system': provider ?? null }, [
        ['gen_ai.system.message', { 'gen_ai.system': 'openai', content: 'Be brief.' }],
        ['gen_ai.user.message', { 'gen_ai.system': 'openai', content: '42' }],
        [
          'gen_ai.choice',
          {
            index: 0,
            finish_reason: 'tool_calls',
            message: '{"content":"A","tool_calls":[{"id":"c1","function":{"name":"weather"}}]}',
          },
        ],
      ]),
    );
    expect(request).toMatchObject({
      provider: 'openai',
      input: {
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: '42' },
        ],
      },
      output: { choices: [{ index: 0, finish_reason: 'tool_calls', message: { content: 'A' } }] },
    });
    expect(payloadOf(request)).toMatchObject({ dialect: 'gen_ai.v1.36', toolCalls: [{ id: 'c1', name: 'weather' }] });
  });

  it.each([
    ['stop', 'complete', { finish_reason: 'stop', message: '{"content":"A"}' }],
    ['length', 'truncated', { finish_reason: 'length', message: '{"content":"A"}' }],
    ['error', 'failed', { finish_reason: 'error', message: '{"content":"A"}' }],
    ['length', 'truncated', { 'gen_ai.event.content': '{"finish_reason":"length","message":{"content":"A"}}' }],
  ])('have the finish reason %s in their choices alone: %s', (reason, outcome, choice) => {
    const request = requestOf(
      span({ 'gen_ai.system': 'openai', 'gen_ai.request.model': 'gpt-4' }, [
        ['gen_ai.user.message', { content: 'Q' }],
        ['gen_ai.choice', choice],
      ]),
    );
    expect(payloadOf(request)).toMatchObject({ outcome, finishReasons: [reason] });
  });

  it('or one for the prompt and one for the completion', () => {
    const attributes = { 'gen_ai.system': 'openai', 'gen_ai.request.model': 'gpt-4' };
    const request = requestOf(
      span(attributes, [
        ['gen_ai.content.prompt', { 'gen_ai.prompt': '[{"role":"user","content":"Q"}]' }],
        ['gen_ai.content.completion', { 'gen_ai.completion': 'A' }],
      ]),
    );
    expect(request).toMatchObject({ input: { prompt: [{ role: 'user', content: 'Q' }] }, output: { completion: 'A' } });
  });
});

describe('the AI SDK', () => {
  const attributes = {
    'ai.operationId': 'ai.generateText.doGenerate',
    'ai.model.provider': 'openai.chat',
    'ai.model.id': 'gpt-4o',
    'ai.settings.temperature': 0.1,
    'ai.prompt.messages': '[{"role":"user","content":"Q"}]',
    'ai.prompt.tools': ['{"name":"weather"}'],
    'ai.response.text': 'A',
    'ai.response.toolCalls': '[{"toolCallId":"c1","toolName":"weather","input":"{}"}]',
    'ai.response.finishReason': 'tool-calls',
    'ai.usage.promptTokens': 3,
    'ai.usage.completionTokens': 4,
  };

  it('has its inner spans certified', () => {
    const request = requestOf(span(attributes));
    expect(request).toMatchObject({
      provider: 'openai.chat',
      model: 'gpt-4o',
      parameters: { temperature: 0.1 },
      input: { messages: [{ role: 'user', content: 'Q' }], tools: [{ name: 'weather' }] },
      output: { text: 'A', toolCalls: [{ toolCallId: 'c1', toolName: 'weather', input: '{}' }] },
    });
    expect(payloadOf(request)).toMatchObject({
      dialect: 'ai-sdk',
      finishReasons: ['tool-calls'],
      usage: { inputTokens: 3, outputTokens: 4 },
      toolCalls: [{ id: 'c1', name: 'weather' }],
    });
  });

  it('has an empty answer certified', () => {
    const empty = { ...attributes, 'ai.response.text': '' };
    expect(requestOf(span({ ...empty, 'ai.response.toolCalls': '' }))).toMatchObject({ output: { text: '' } });
    expect(requestOf(span(empty))['output']).not.toHaveProperty('text');
  });

  it.each(['ai.generateText', 'ai.toolCall', 'ai.streamText', 'ai.embed'])('has %s left alone', (operation) => {
    expect(dialectOf(span({ ...CURRENT, ...attributes, 'ai.operationId': operation }))).toBeNull();
  });
});

describe('OpenInference', () => {
  const attributes = {
    'openinference.span.kind': 'LLM',
    'llm.provider': 'anthropic',
    'llm.model_name': 'claude-x',
    'llm.invocation_parameters': '{"temperature":0.2,"max_tokens":50,"model":"claude"}',
    'llm.token_count.prompt': 3,
    'llm.token_count.completion': 4,
  };

  it('has messages in numbered attributes put together again', () => {
    const request = requestOf(
      span({
        ...attributes,
        'llm.input_messages.1.message.content': 'second',
        'llm.input_messages.0.message.role': 'user',
        'llm.input_messages.0.message.content': 'first',
        'llm.output_messages.0.message.tool_calls.0.tool_call.function.name': 'weather',
        'llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments': '{}',
        'llm.output_messages.0.message.tool_calls.0.tool_call.id': 'c1',
      }),
    );
    expect(request).toMatchObject({
      provider: 'anthropic',
      model: 'claude',
      modelVersion: 'claude-x',
      parameters: { temperature: 0.2, maxTokens: 50 },
      input: { messages: [{ message: { role: 'user', content: 'first' } }, { message: { content: 'second' } }] },
    });
    expect(payloadOf(request)).toMatchObject({ dialect: 'openinference', toolCalls: [{ id: 'c1', name: 'weather' }] });
  });

  it('has the model that was asked for, and the one that answered', () => {
    const models = { 'llm.request.model_name': 'claude', 'llm.response.model_name': 'claude-x-1' };
    const given = { ...attributes, ...models, 'llm.invocation_parameters': '{"max_tokens":50}' };
    const request = requestOf(span({ ...given, 'input.value': 'Q', 'output.value': 'A' }));
    expect(request).toMatchObject({ model: 'claude', modelVersion: 'claude-x-1' });
  });

  it('or the whole of it as one text', () => {
    const request = requestOf(span({ ...attributes, 'input.value': '{"a":1}', 'output.value': 'A' }));
    expect(request).toMatchObject({ input: { value: '{"a":1}' }, output: { value: 'A' } });
  });

  it.each(['CHAIN', 'AGENT', 'TOOL', 'RETRIEVER'])('has its %s spans left alone', (kind) => {
    expect(dialectOf(span({ ...CURRENT, 'openinference.span.kind': kind }))).toBeNull();
  });
});

describe('Traceloop', () => {
  it('has indexed prompts and completions put together again', () => {
    const request = requestOf(
      span({
        'gen_ai.system': 'OpenAI',
        'llm.request.type': 'chat',
        'gen_ai.request.model': 'gpt-4o',
        'gen_ai.prompt.0.role': 'user',
        'gen_ai.prompt.0.content': 'Q',
        'gen_ai.completion.0.role': 'assistant',
        'gen_ai.completion.0.content': 'A',
        'gen_ai.completion.0.finish_reason': 'stop',
        'gen_ai.completion.0.tool_calls.0.name': 'weather',
        'gen_ai.usage.prompt_tokens': 3,
        'traceloop.workflow.name': 'checkout',
        'traceloop.association.properties.user_id': 'SECRET',
      }),
    );
    expect(request).toMatchObject({
      provider: 'openai',
      input: { messages: [{ role: 'user', content: 'Q' }] },
      output: { completions: [{ role: 'assistant', content: 'A' }] },
    });
    expect(payloadOf(request)).toMatchObject({
      dialect: 'traceloop',
      finishReasons: ['stop'],
      toolCalls: [{ name: 'weather' }],
      workflow: { workflowName: 'checkout' },
      usage: { inputTokens: 3 },
    });
    expect(JSON.stringify(request)).not.toContain('SECRET');
  });

  it('has its workflow spans left alone', () => {
    expect(dialectOf(span({ 'traceloop.span.kind': 'workflow', 'traceloop.entity.input': 'x' }))).toBeNull();
  });
});

/** Reason by side that has no content. */
function unrecordedOf(given: Span): unknown {
  const dialect = dialectOf(given);
  if (dialect === null) throw new Error('no model call');
  return evidenceOf(given, dialect).unrecorded;
}

describe('content that the application withholds', () => {
  const spoken = (parts: JsonValue): JsonValue => [{ role: 'user', parts }];
  const current = (input: JsonValue, output: JsonValue = ANSWER): Span =>
    span({ ...CURRENT, 'gen_ai.input.messages': input, 'gen_ai.output.messages': output });
  const older = { 'gen_ai.system': 'az.ai.inference', 'gen_ai.request.model': 'm' };
  const openInference = { 'openinference.span.kind': 'LLM', 'llm.model_name': 'm', 'llm.provider': 'p' };
  const asked = 'llm.input_messages.0.message';
  const answered = { 'llm.output_messages.0.message.content': 'A' };

  it.each<[string, Span, unknown]>([
    ['text parts without text', current(spoken([{ type: 'text' }])), { input: 'not-recorded' }],
    [
      'one part of several without text',
      current([{ role: 'system', parts: [{ type: 'text' }] }, ...QUESTION]),
      { input: 'parts-left-out' },
    ],
    [
      'a picture in the result of a tool',
      current(spoken([{ type: 'tool_call_response', response: [{ type: 'text', text: 'T' }, { type: 'image' }] }])),
      { input: 'parts-left-out' },
    ],
    [
      'a tool call without arguments',
      current(QUESTION, [{ role: 'assistant', parts: [{ type: 'tool_call', id: 'c1', name: 'weather' }] }]),
      { output: 'not-recorded' },
    ],
    [
      'a picture without its bytes',
      current(spoken([{ type: 'blob', modality: 'image', mime_type: 'image/png' }])),
      { input: 'not-recorded' },
    ],
    [
      'instructions without text',
      span({
        ...CURRENT,
        'gen_ai.input.messages': QUESTION,
        'gen_ai.output.messages': ANSWER,
        'gen_ai.system_instructions': '[{"type":"text"}]',
      }),
      { input: 'parts-left-out' },
    ],
    [
      'tools without messages',
      span({ ...CURRENT, 'gen_ai.tool.definitions': [{ name: 'weather' }], 'gen_ai.output.messages': ANSWER }),
      { input: 'not-recorded' },
    ],
    [
      'events without messages',
      span(older, [
        ['gen_ai.user.message', { 'gen_ai.system': 'az.ai.inference' }],
        ['gen_ai.choice', { 'gen_ai.event.content': '{"finish_reason":"stop","index":0}' }],
      ]),
      { input: 'not-recorded', output: 'not-recorded' },
    ],
    [
      'roles of Traceloop',
      span({ ...older, 'gen_ai.prompt.0.role': 'user', 'gen_ai.completion.0.finish_reason': 'stop' }),
      { input: 'not-recorded', output: 'not-recorded' },
    ],
    [
      'values that OpenInference masks',
      span({ ...openInference, 'input.value': '__REDACTED__', 'output.value': '__REDACTED__' }),
      { input: 'masked', output: 'masked' },
    ],
    [
      'a text that OpenInference masks',
      span({ ...openInference, ...answered, [`${asked}.content`]: '__REDACTED__' }),
      { input: 'masked' },
    ],
    [
      'a picture that OpenInference removes',
      span({ ...openInference, ...answered, [`${asked}.contents.0.message_content.type`]: 'image' }),
      { input: 'not-recorded' },
    ],
    [
      'a picture of which OpenInference keeps the type',
      span({
        ...openInference,
        ...answered,
        [`${asked}.contents.0.message_content.text`]: 'What is this?',
        [`${asked}.contents.1.message_content.type`]: 'image',
        [`${asked}.contents.1.message_content.image.type`]: 'base64',
        [`${asked}.contents.1.message_content.image.media_type`]: 'image/png',
      }),
      { input: 'parts-left-out' },
    ],
  ])('is unrecorded, such as %s', (_, given, reasons) => {
    expect(unrecordedOf(given)).toEqual(reasons);
  });

  it.each<[string, Span]>([
    ['an empty answer', current(QUESTION, [{ role: 'assistant', parts: [], finish_reason: 'stop' }])],
    ['an empty text', current(spoken([{ type: 'text', content: '' }]))],
    [
      'a tool call with empty arguments',
      current(QUESTION, [{ role: 'assistant', parts: [{ type: 'tool_call', name: 'now', arguments: {} }] }]),
    ],
    [
      'a picture at an address',
      span({
        ...openInference,
        ...answered,
        [`${asked}.contents.0.message_content.type`]: 'image',
        [`${asked}.contents.0.message_content.image.image.url`]: 'https://example.com/a.png',
      }),
    ],
    [
      'a tool call that OpenInference names twice',
      span({
        ...openInference,
        [`${asked}.content`]: 'Q',
        'llm.output_messages.0.message.contents.0.message_content.type': 'tool_use',
        'llm.output_messages.0.message.contents.0.tool_call.function.arguments': '{}',
      }),
    ],
    [
      'a tool called without arguments beside a text',
      current(QUESTION, [
        {
          role: 'assistant',
          parts: [
            { type: 'text', content: 'A' },
            { type: 'tool_call', name: 'now' },
          ],
        },
      ]),
    ],
    [
      'a result with the names of labels',
      current(spoken([{ type: 'tool_call_response', response: { name: 'A', id: 1 } }])),
    ],
    [
      'the empty result of a tool',
      current([...QUESTION, { role: 'user', parts: [{ type: 'tool_call_response', id: 'c1', name: 'stop' }] }]),
    ],
    ['a text about masks', span({ ...openInference, ...answered, [`${asked}.content`]: 'What is __REDACTED__?' })],
  ])('is not %s', (_, given) => {
    expect(unrecordedOf(given)).toEqual({});
  });

  it('needs consent where none of it is there', () => {
    expect(() => requestOf(current(spoken([{ type: 'text' }])))).toThrow('the span holds no input');
    expect(requestOf(current(spoken([{ type: 'image' }, { type: 'text', content: 'Q' }])))).toMatchObject({
      input: { contentRecorded: false },
    });
    const request = requestOf(span({ ...openInference, ...answered, 'input.value': '__REDACTED__' }));
    expect(request).toMatchObject({ input: { contentRecorded: false }, output: { messages: [{}] } });
    expect(payloadOf(request)).toMatchObject({ contentRecorded: { input: false, output: true } });
  });
});

describe('a span', () => {
  it.each<[string, JsonObject]>([
    ['of a web request', { 'http.request.method': 'POST', 'url.full': 'https://example.com' }],
    ['of an agent', { ...CURRENT, 'gen_ai.operation.name': 'invoke_agent' }],
    ['of a tool', { ...CURRENT, 'gen_ai.operation.name': 'execute_tool' }],
    ['of nothing', {}],
    ['with hostile names', { __proto__x: 1, constructor: 'x', 'gen_ai.prompt': 'x' }],
  ])('%s is not a model call', (_, attributes) => {
    expect(dialectOf(span(attributes))).toBeNull();
  });

  it.each(['length', 'MAX_TOKENS', 'max_output_tokens', 'model_length', 'incomplete', '["length"]'])(
    'whose answer ended by %s is truncated',
    (reason) => {
      const given = span({ ...CURRENT, 'gen_ai.response.finish_reasons': reason });
      expect(evidenceOf(given, genAi).outcome).toBe('truncated');
    },
  );

  it('is read by one dialect named in the certificate', () => {
    expect(new Set(DIALECTS.map(({ name }) => name)).size).toBe(DIALECTS.length);
  });
});
