import { elementsOf, isJsonArray, type JsonValue } from '@cer/canonical-json';
import { at, label, labels, present, structured, toolCalls } from '../spans/attribute-values.js';
import type { Dialect, ToolCall } from '../spans/model-call.js';
import type { Attributes, Span } from '../spans/span.js';
import { embeddingContent } from './embedding-content.js';
import { genAiCall, MODEL_OPERATIONS } from './gen-ai-request.js';

const DETAILS_EVENT = 'gen_ai.client.inference.operation.details';

/** The current `gen_ai.*` semantic conventions: messages are attributes of the span, or of one event of it. */
export const genAi: Dialect = {
  name: 'gen_ai',
  readsEvents: true,
  recognise: ({ attributes }) => {
    const operation = attributes.get('gen_ai.operation.name');
    if (typeof operation !== 'string') return null;
    return MODEL_OPERATIONS.has(operation) ? 'call' : 'other';
  },
  read: (span) => {
    const operation = label(span.attributes.get('gen_ai.operation.name')) ?? 'chat';
    const embedded = operation === 'embeddings' ? embeddingContent(span.attributes) : undefined;
    const input = present({
      system: structured(recorded(span, 'gen_ai.system_instructions')),
      messages: structured(recorded(span, 'gen_ai.input.messages')),
      tools: structured(recorded(span, 'gen_ai.tool.definitions')),
    });
    const messages = structured(recorded(span, 'gen_ai.output.messages'));
    const call = genAiCall(span.attributes, {
      operation,
      input: input ?? embedded?.input,
      output: present({ messages }) ?? embedded?.output,
      toolCalls: toolCallsIn(messages),
    });
    return call.finishReasons.length > 0 ? call : { ...call, finishReasons: finishReasonsIn(messages) };
  },
};

/** Content of the current conventions on this span, wherever it was put. */
export function hasRecordedMessages(span: Span): boolean {
  return ['gen_ai.input.messages', 'gen_ai.output.messages'].some((name) => recorded(span, name) !== undefined);
}

function recorded({ attributes, events }: Span, name: string): JsonValue | undefined {
  const onSpan = attributes.get(name);
  if (onSpan !== undefined) return onSpan;
  const details: Attributes | undefined = events.find((event) => event.name === DETAILS_EVENT)?.attributes;
  return details?.get(name);
}

/** The reasons in the members of an answer: where the span has none, some instrumentations state them there alone. */
export function finishReasonsIn(messages: JsonValue | undefined): readonly string[] {
  return labels(elementsOf(messages).flatMap((message) => at(message, 'finish_reason') ?? []));
}

function toolCallsIn(messages: JsonValue | undefined): readonly ToolCall[] {
  if (!isJsonArray(messages)) return [];
  const parts = messages.flatMap((message) => {
    const found = at(message, 'parts');
    return elementsOf(found);
  });
  return toolCalls(
    parts.filter((part) => at(part, 'type') === 'tool_call'),
    (part) => at(part, 'name'),
    (part) => at(part, 'id'),
  );
}
