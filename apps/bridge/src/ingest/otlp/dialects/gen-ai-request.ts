import { firstLabel, firstNumber, labels } from '../spans/attribute-values.js';
import type { ModelCall } from '../spans/model-call.js';
import type { Attributes } from '../spans/span.js';

/** Attributes that say whether a response is streamed. */
const STREAMING = ['gen_ai.request.stream', 'gen_ai.is_streaming', 'llm.is_streaming'];

/** The parts that the conventions' versions record in different ways. */
export type CallContent = Pick<ModelCall, 'operation' | 'input' | 'output' | 'toolCalls'>;

/**
 * A call from its content and the request and response attributes that the `gen_ai.*` conventions share over their
 * versions, and those built on them.
 */
export function genAiCall(attributes: Attributes, content: CallContent): ModelCall {
  const { operation, input, output, toolCalls } = content;
  return {
    operation,
    input,
    output,
    toolCalls,
    provider: firstLabel(attributes, 'gen_ai.provider.name', 'gen_ai.system'),
    model: firstLabel(attributes, 'gen_ai.request.model', 'gen_ai.response.model'),
    responseModel: firstLabel(attributes, 'gen_ai.response.model'),
    responseId: firstLabel(attributes, 'gen_ai.response.id'),
    temperature: firstNumber(attributes, 'gen_ai.request.temperature'),
    maxTokens: firstNumber(attributes, 'gen_ai.request.max_tokens'),
    topP: firstNumber(attributes, 'gen_ai.request.top_p'),
    seed: firstNumber(attributes, 'gen_ai.request.seed', 'gen_ai.openai.request.seed'),
    request: {
      topK: firstNumber(attributes, 'gen_ai.request.top_k'),
      frequencyPenalty: firstNumber(attributes, 'gen_ai.request.frequency_penalty'),
      presencePenalty: firstNumber(attributes, 'gen_ai.request.presence_penalty'),
      choiceCount: firstNumber(attributes, 'gen_ai.request.choice.count'),
    },
    usage: {
      inputTokens: firstNumber(attributes, 'gen_ai.usage.input_tokens', 'gen_ai.usage.prompt_tokens'),
      outputTokens: firstNumber(attributes, 'gen_ai.usage.output_tokens', 'gen_ai.usage.completion_tokens'),
      cachedInputTokens: firstNumber(
        attributes,
        'gen_ai.usage.cache_read.input_tokens',
        'gen_ai.usage.cache_read_input_tokens',
      ),
    },
    finishReasons: labels(
      attributes.get('gen_ai.response.finish_reasons') ?? attributes.get('anthropic.message.stop_reason'),
    ),
    isStreamed:
      STREAMING.some((name) => attributes.get(name) === true) || attributes.has('gen_ai.response.time_to_first_chunk'),
    workflow: {
      conversationId: firstLabel(attributes, 'gen_ai.conversation.id'),
      agentId: firstLabel(attributes, 'gen_ai.agent.id'),
      agentName: firstLabel(attributes, 'gen_ai.agent.name'),
      workflowName: firstLabel(attributes, 'gen_ai.workflow.name', 'traceloop.workflow.name'),
    },
  };
}

/** Operations that call a model, as the conventions name them; the others are agents and tools around such calls. */
export const MODEL_OPERATIONS: ReadonlySet<string> = new Set([
  'chat',
  'text_completion',
  'generate_content',
  'embeddings',
]);
