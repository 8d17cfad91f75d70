import { isJsonArray, isJsonObject, type JsonValue } from '@cer/canonical-json';
import {
  at,
  firstLabel,
  firstNumber,
  label,
  labels,
  present,
  structured,
  toolCalls,
} from '../spans/attribute-values.js';
import { unflatten } from '../spans/indexed-attributes.js';
import type { Dialect, ModelCall } from '../spans/model-call.js';
import type { Attributes } from '../spans/span.js';
import { genAiCall } from './gen-ai-request.js';

/** OpenInference: `llm.*`, messages flattened into numbered attributes. */
export const openInference: Dialect = {
  name: 'openinference',
  mask: '__REDACTED__',
  recognise: ({ attributes }) => {
    const kind = attributes.get('openinference.span.kind');
    if (typeof kind !== 'string') return null;
    return kind === 'LLM' || kind === 'EMBEDDING' ? 'call' : 'other';
  },
  read: ({ attributes }) => {
    if (attributes.get('openinference.span.kind') === 'EMBEDDING') return readEmbedding(attributes);
    const invocation = structured(attributes.get('llm.invocation_parameters'));
    const number = (...names: readonly string[]): number | undefined => {
      for (const name of names) {
        const found = at(invocation, name);
        if (typeof found === 'number' && Number.isFinite(found)) return found;
      }
      return undefined;
    };
    const inputMessages = unflatten(attributes, 'llm.input_messages.');
    const outputMessages = unflatten(attributes, 'llm.output_messages.');
    const calls = listOf(outputMessages).flatMap((message) => listOf(at(message, 'message', 'tool_calls')));
    return {
      operation: 'chat',
      provider: firstLabel(attributes, 'llm.provider', 'llm.system'),
      model: label(at(invocation, 'model')) ?? firstLabel(attributes, 'llm.request.model_name', 'llm.model_name'),
      responseModel: firstLabel(attributes, 'llm.response.model_name', 'llm.model_name'),
      responseId: undefined,
      temperature: number('temperature'),
      maxTokens: number('max_tokens', 'max_completion_tokens', 'max_output_tokens'),
      topP: number('top_p'),
      seed: number('seed'),
      request: {
        topK: number('top_k'),
        frequencyPenalty: number('frequency_penalty'),
        presencePenalty: number('presence_penalty'),
        choiceCount: number('n'),
      },
      usage: {
        inputTokens: firstNumber(attributes, 'llm.token_count.prompt'),
        outputTokens: firstNumber(attributes, 'llm.token_count.completion'),
        cachedInputTokens: firstNumber(attributes, 'llm.token_count.prompt_details.cache_read'),
        reasoningTokens: firstNumber(attributes, 'llm.token_count.completion_details.reasoning'),
      },
      finishReasons: labels(attributes.get('llm.finish_reason')),
      isStreamed: at(invocation, 'stream') === true,
      workflow: { agentName: firstLabel(attributes, 'agent.name') },
      input: present({
        messages: inputMessages,
        tools: unflatten(attributes, 'llm.tools.'),
        // The whole request as one text, where the messages are not recorded one by one.
        value: inputMessages === undefined ? valueOf(attributes.get('input.value')) : undefined,
      }),
      output: present({
        messages: outputMessages,
        value: outputMessages === undefined ? valueOf(attributes.get('output.value')) : undefined,
      }),
      toolCalls: toolCalls(
        calls,
        (call) => at(call, 'tool_call', 'function', 'name'),
        (call) => at(call, 'tool_call', 'id'),
      ),
    };
  },
};

/** Texts and vectors, each in their order. */
function readEmbedding(attributes: Attributes): ModelCall {
  const embeddings = listOf(unflatten(attributes, 'embedding.embeddings.'));
  const each = (name: string): readonly JsonValue[] =>
    embeddings.flatMap((embedding) => {
      const found = at(embedding, 'embedding', name);
      return found === undefined ? [] : [found];
    });
  const [texts, vectors] = [each('text'), each('vector')];
  return {
    ...genAiCall(attributes, {
      operation: 'embeddings',
      input: texts.length > 0 ? { texts } : present({ value: valueOf(attributes.get('input.value')) }),
      output: vectors.length > 0 ? { vectors } : undefined,
      toolCalls: [],
    }),
    provider: firstLabel(attributes, 'llm.provider', 'llm.system'),
    model: firstLabel(attributes, 'embedding.model_name', 'llm.model_name'),
    usage: { inputTokens: firstNumber(attributes, 'llm.token_count.prompt') },
  };
}

function valueOf(value: JsonValue | undefined): JsonValue | undefined {
  return value === '' || value === null ? undefined : value;
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  if (isJsonArray(value)) return value;
  return isJsonObject(value) ? [value] : [];
}
