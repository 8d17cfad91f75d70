import { describe, expect, it } from '@jest/globals';
import type { JsonObject, JsonValue } from '@cer/canonical-json';
import { contentLoss } from './content-loss.js';
import { dialectOf } from './dialects/registry.js';
import type { Span } from './spans/span.js';

const GEN_AI = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm', 'gen_ai.provider.name': 'p' };
const OPEN_INFERENCE = { 'openinference.span.kind': 'LLM', 'llm.model_name': 'm', 'llm.provider': 'p' };

function span(attributes: JsonObject, members: Partial<Span> = {}): Span {
  return {
    traceId: '0af7651916cd43dd8448eb211c80319c',
    spanId: 'b7ad6b7169203331',
    parentSpanId: null,
    name: 'a span',
    startNano: 1n,
    endNano: 2n,
    attributes: new Map(Object.entries(attributes).map(([name, value]) => [name, value ?? null])),
    droppedAttributes: 0,
    events: [],
    droppedEvents: 0,
    status: 'ok',
    resource: new Map(),
    ...members,
  };
}

function lossOf(given: Span): string | null {
  const dialect = dialectOf(given);
  if (dialect === null) throw new Error('no model call');
  return contentLoss(given, dialect, dialect.read(given));
}

const messages = (text: string): JsonValue =>
  JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: text }] }]);
const whole = { ...GEN_AI, 'gen_ai.input.messages': messages('Q'), 'gen_ai.output.messages': messages('A') };
const AI_SDK = { 'ai.operationId': 'ai.embed.doEmbed', 'ai.model.id': 'm', 'ai.model.provider': 'p' };
const spoken = (input: string, output: string): JsonObject => ({
  ...OPEN_INFERENCE,
  'llm.input_messages.0.message.content': input,
  'llm.output_messages.0.message.content': output,
});

describe('content of a span', () => {
  it.each<[string, Span]>([
    ['that nothing was cut from', span(whole)],
    ['whose truncation is denied', span({ ...whole, 'anthropic.content.truncated': false })],
    [
      'in two long JSON texts of one length',
      span({
        ...whole,
        'gen_ai.input.messages': messages('q'.repeat(500)),
        'gen_ai.output.messages': messages('a'.repeat(500)),
      }),
    ],
    ['in short texts of one length', span(spoken('yes', 'not'))],
    ['that is the same long text twice', span(spoken('x'.repeat(300), 'x'.repeat(300)))],
    ['beside a longer text', span({ ...spoken('x'.repeat(300), 'y'.repeat(300)), 'input.value': 'z'.repeat(301) })],
    ['in parts of equal length', span({ ...spoken('Q', 'A'), parts: ['x'.repeat(300), 'y'.repeat(300)] })],
    ['whose texts begin like JSON', span(spoken('[INST] Q', '{A'))],
    [
      'whose embedded texts begin like JSON',
      span({ ...AI_SDK, 'ai.values': ['"\\"[Q"', '"[Q"'], 'ai.embeddings': ['[0.5]', '[1]'] }),
    ],
    ['in attributes, beside dropped events', span(spoken('Q', 'A'), { droppedEvents: 3 })],
  ])('%s is whole', (_, given) => {
    expect(lossOf(given)).toBeNull();
  });

  it.each<[string, string, Span]>([
    ['truncated', 'a stated truncation', span({ ...whole, 'anthropic.content.truncated': true })],
    ['truncated', 'a truncation by another name', span({ ...whole, 'vendor.prompt_truncated': 'true' })],
    ['truncated', 'a truncation in camel case', span({ ...whole, 'vendor.contentTruncated': true })],
    ['truncated', 'a truncation without a prefix', span({ ...whole, truncated: true })],
    ['attributes-dropped', 'dropped attributes', span(whole, { droppedAttributes: 1 })],
    [
      'attributes-dropped',
      'dropped attributes of an event',
      span(GEN_AI, {
        events: [{ name: 'gen_ai.client.inference.operation.details', attributes: new Map(), droppedAttributes: 2 }],
      }),
    ],
    ['events-dropped', 'dropped events', span(whole, { droppedEvents: 1 })],
    ['length-limit', 'JSON that breaks off', span({ ...whole, 'gen_ai.output.messages': '[{"role":"assi' })],
    ['length-limit', 'JSON that breaks off at a bracket', span({ ...whole, 'gen_ai.input.messages': '[{"a":[1]' })],
    ['length-limit', 'an embedded text that breaks off', span({ ...AI_SDK, 'ai.values': ['"Que'] })],
    ['length-limit', 'a vector that breaks off', span({ ...AI_SDK, 'ai.values': ['"Q"'], 'ai.embeddings': ['[0.5,'] })],
    [
      'length-limit',
      'the prompt of a stream that breaks off',
      span({ ...AI_SDK, 'ai.operationId': 'ai.streamText', 'ai.prompt': '{"prompt":"Q' }, { status: 'unset' }),
    ],
    [
      'length-limit',
      'a tool that breaks off',
      span({ ...AI_SDK, 'ai.operationId': 'ai.generateText.doGenerate', 'ai.prompt.tools': ['{"type":"fu'] }),
    ],
    [
      'length-limit',
      'a request as JSON that breaks off',
      span({ ...OPEN_INFERENCE, 'input.value': '{"messages":[', 'input.mime_type': 'application/json' }),
    ],
    ['length-limit', 'two texts of the greatest length', span(spoken('x'.repeat(300), 'y'.repeat(300)))],
    ['length-limit', 'a longest text of a usual limit', span(spoken('Q', 'y'.repeat(4096)))],
    ['length-limit', 'texts cut by code points', span(spoken('x'.repeat(300), '\u{1f600}'.repeat(300)))],
    ['length-limit', 'texts cut by bytes', span(spoken('x'.repeat(300), 'é'.repeat(150)))],
  ])('is lost as %s by %s', (reason, _, given) => {
    expect(lossOf(given)).toBe(reason);
  });
});
