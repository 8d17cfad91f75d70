import { isJsonArray, type JsonValue } from '@cer/canonical-json';
import { at, firstLabel, firstNumber, labels, present, structured, toolCalls } from '../spans/attribute-values.js';
import type { Dialect } from '../spans/model-call.js';
import type { Attributes } from '../spans/span.js';
import { embeddingContent } from './embedding-content.js';
import { genAiCall } from './gen-ai-request.js';

/** Each inner span is one call of a model; the spans around them repeat its content. */
const MODEL_CALL = /^ai\.\w+\.do(Generate|Stream|Embed)$/;
/** When a stream is aborted, the SDK never ends the inner span: the outer one is then the record of the call. */
const STREAMING_FRAME = /^ai\.stream(Text|Object)$/;

/** The AI SDK for JavaScript: `ai.*`, beside a few `gen_ai.*`. */
export const aiSdk: Dialect = {
  name: 'ai-sdk',
  recognise: ({ attributes, status }) => {
    const operation = attributes.get('ai.operationId');
    if (typeof operation !== 'string') return null;
    if (MODEL_CALL.test(operation)) return 'call';
    const isAborted = status !== 'error' && !attributes.has('ai.response.finishReason');
    return isAborted && STREAMING_FRAME.test(operation) ? 'call' : 'other';
  },
  read: ({ attributes }) => {
    const calls = structured(attributes.get('ai.response.toolCalls'));
    const operation = firstLabel(attributes, 'ai.operationId') ?? '';
    const embedded = operation.endsWith('doEmbed') ? embeddingContent(attributes) : undefined;
    const facts = genAiCall(attributes, {
      operation: embedded === undefined ? 'chat' : 'embeddings',
      input:
        embedded?.input ??
        present({
          messages: structured(attributes.get('ai.prompt.messages')),
          prompt: structured(attributes.get('ai.prompt')),
          tools: toolsOf(attributes),
        }),
      output:
        embedded?.output ??
        present({
          text: nonEmpty(attributes.get('ai.response.text')),
          reasoning: nonEmpty(attributes.get('ai.response.reasoning')),
          object: structured(attributes.get('ai.response.object')),
          toolCalls: calls,
        }) ??
        emptyAnswer(attributes),
      toolCalls: toolCalls(
        calls,
        (call) => at(call, 'toolName'),
        (call) => at(call, 'toolCallId'),
      ),
    });
    return {
      ...facts,
      provider: facts.provider ?? firstLabel(attributes, 'ai.model.provider'),
      model: firstLabel(attributes, 'gen_ai.request.model', 'ai.model.id'),
      responseModel: facts.responseModel ?? firstLabel(attributes, 'ai.response.model'),
      responseId: facts.responseId ?? firstLabel(attributes, 'ai.response.id'),
      temperature: facts.temperature ?? firstNumber(attributes, 'ai.settings.temperature'),
      maxTokens: facts.maxTokens ?? firstNumber(attributes, 'ai.settings.maxOutputTokens', 'ai.settings.maxTokens'),
      topP: facts.topP ?? firstNumber(attributes, 'ai.settings.topP'),
      seed: facts.seed ?? firstNumber(attributes, 'ai.settings.seed'),
      usage: {
        inputTokens:
          facts.usage['inputTokens'] ??
          firstNumber(attributes, 'ai.usage.inputTokens', 'ai.usage.promptTokens', 'ai.usage.tokens'),
        outputTokens:
          facts.usage['outputTokens'] ?? firstNumber(attributes, 'ai.usage.outputTokens', 'ai.usage.completionTokens'),
        cachedInputTokens: firstNumber(attributes, 'ai.usage.cachedInputTokens'),
        reasoningTokens: firstNumber(attributes, 'ai.usage.reasoningTokens'),
      },
      finishReasons:
        facts.finishReasons.length > 0 ? facts.finishReasons : labels(attributes.get('ai.response.finishReason')),
      isStreamed: operation.endsWith('doStream') || STREAMING_FRAME.test(operation),
      workflow: { ...facts.workflow, functionId: firstLabel(attributes, 'ai.telemetry.functionId') },
    };
  },
};

/** Each tool is a JSON text in a list. */
function toolsOf(attributes: Attributes): JsonValue | undefined {
  const tools = attributes.get('ai.prompt.tools');
  if (!isJsonArray(tools)) return structured(tools);
  return tools.map((tool) => structured(tool) ?? tool);
}

/** A recorded answer without text: the SDK leaves out the attribute where content is not recorded. */
function emptyAnswer(attributes: Attributes): JsonValue | undefined {
  return attributes.get('ai.response.text') === '' ? { text: '' } : undefined;
}

function nonEmpty(value: JsonValue | undefined): JsonValue | undefined {
  return value === '' || value === null ? undefined : value;
}
