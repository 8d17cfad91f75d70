import { elementsOf, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { at, firstLabel, present, structured, toolCalls } from '../spans/attribute-values.js';
import type { Dialect } from '../spans/model-call.js';
import type { Span, SpanEvent } from '../spans/span.js';
import { finishReasonsIn, hasRecordedMessages } from './gen-ai.js';
import { genAiCall, MODEL_OPERATIONS } from './gen-ai-request.js';

const MESSAGE_EVENT = /^gen_ai\.(system|user|assistant|tool)\.message$/;
/** Members of an event that are JSON when they are text. */
const STRUCTURED_MEMBERS: ReadonlySet<string> = new Set(['message', 'tool_calls', 'gen_ai.event.content']);

/**
 * The `gen_ai.*` conventions up to 1.36: `gen_ai.system`, one event for each message and choice; older still, one event
 * for the whole prompt and one for the completion.
 */
export const genAiEvents: Dialect = {
  name: 'gen_ai.v1.36',
  readsEvents: true,
  recognise: (span) => {
    const { attributes } = span;
    if (!attributes.has('gen_ai.system') || attributes.has('gen_ai.provider.name') || hasRecordedMessages(span)) {
      return null;
    }
    const operation = attributes.get('gen_ai.operation.name');
    if (operation === undefined) return attributes.has('gen_ai.request.model') ? 'call' : null;
    return typeof operation === 'string' && MODEL_OPERATIONS.has(operation) ? 'call' : 'other';
  },
  read: (span) => {
    const choices = span.events.filter(({ name }) => name === 'gen_ai.choice').map(membersOf);
    const calls = choices.flatMap((choice) => {
      const found = at(choice, 'tool_calls') ?? at(choice, 'message', 'tool_calls');
      return elementsOf(found);
    });
    const call = genAiCall(span.attributes, {
      operation: firstLabel(span.attributes, 'gen_ai.operation.name') ?? 'chat',
      input: present({
        messages: messagesOf(span),
        prompt: contentOf(span, 'gen_ai.content.prompt', 'gen_ai.prompt'),
      }),
      output: present({
        choices: choices.length === 0 ? undefined : choices,
        completion: contentOf(span, 'gen_ai.content.completion', 'gen_ai.completion'),
      }),
      toolCalls: toolCalls(
        calls,
        (tool) => at(tool, 'function', 'name') ?? at(tool, 'name'),
        (tool) => at(tool, 'id'),
      ),
    });
    if (call.finishReasons.length > 0) return call;
    return {
      ...call,
      finishReasons: finishReasonsIn(choices.map((choice) => at(choice, 'gen_ai.event.content') ?? choice)),
    };
  },
};

function messagesOf({ events }: Span): JsonValue | undefined {
  const messages = events.flatMap((event) => {
    const role = MESSAGE_EVENT.exec(event.name)?.[1];
    return role === undefined ? [] : [{ role, ...membersOf(event) }];
  });
  return messages.length === 0 ? undefined : messages;
}

/** An event's attributes, all but which provider it belongs to. */
function membersOf({ attributes }: SpanEvent): JsonObject {
  return Object.fromEntries(
    [...attributes]
      .filter(([name]) => name !== 'gen_ai.system')
      .map(([name, value]) => [name, STRUCTURED_MEMBERS.has(name) ? (structured(value) ?? value) : value]),
  );
}

function contentOf({ events }: Span, eventName: string, attribute: string): JsonValue | undefined {
  const event = events.find(({ name }) => name === eventName);
  return structured(event?.attributes.get(attribute));
}
