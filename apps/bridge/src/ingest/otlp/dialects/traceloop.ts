import { elementsOf } from '@cer/canonical-json';
import { at, firstLabel, label, present, toolCalls } from '../spans/attribute-values.js';
import { unflatten } from '../spans/indexed-attributes.js';
import type { Dialect } from '../spans/model-call.js';
import type { Attributes } from '../spans/span.js';
import { genAiCall } from './gen-ai-request.js';

const INDEXED = /^gen_ai\.(prompt|completion)\.\d+\./;
const OPERATION_OF_TYPE: ReadonlyMap<string, string> = new Map([
  ['completion', 'text_completion'],
  ['embedding', 'embeddings'],
]);

/** Traceloop's OpenLLMetry: prompts and completions flattened into `gen_ai.prompt.N.*` and `gen_ai.completion.N.*`. */
export const traceloop: Dialect = {
  name: 'traceloop',
  recognise: ({ attributes }) => {
    if (hasIndexed(attributes)) return 'call';
    return attributes.has('traceloop.span.kind') ? 'other' : null;
  },
  read: ({ attributes }) => {
    const completions = unflatten(attributes, 'gen_ai.completion.');
    const list = elementsOf(completions);
    const calls = list.flatMap((completion) => elementsOf(at(completion, 'tool_calls')));
    const type = firstLabel(attributes, 'llm.request.type') ?? 'chat';
    const facts = genAiCall(attributes, {
      operation: firstLabel(attributes, 'gen_ai.operation.name') ?? OPERATION_OF_TYPE.get(type) ?? 'chat',
      input: present({
        messages: unflatten(attributes, 'gen_ai.prompt.'),
        tools: unflatten(attributes, 'llm.request.functions.'),
      }),
      output: present({ completions }),
      toolCalls: toolCalls(
        calls,
        (call) => at(call, 'name'),
        (call) => at(call, 'id'),
      ),
    });
    const reasons = list.flatMap((completion) => label(at(completion, 'finish_reason')) ?? []);
    return {
      ...facts,
      // Older releases write `OpenAI`, newer ones `openai`.
      provider: facts.provider?.toLowerCase(),
      finishReasons: facts.finishReasons.length > 0 ? facts.finishReasons : reasons,
    };
  },
};

function hasIndexed(attributes: Attributes): boolean {
  for (const name of attributes.keys()) {
    if ((name.startsWith('gen_ai.p') || name.startsWith('gen_ai.c')) && INDEXED.test(name)) return true;
  }
  return false;
}
