import { elementsOf, isJsonArray, type JsonValue } from '@cer/canonical-json';
import { present, structured } from '../spans/attribute-values.js';
import type { Attributes } from '../spans/span.js';

/** Texts and vectors as the AI SDK records them: JSON texts, or lists of JSON texts. */
export function embeddingContent(attributes: Attributes): {
  readonly input: JsonValue | undefined;
  readonly output: JsonValue | undefined;
} {
  return {
    input: present({ values: listOf(attributes, 'ai.values', 'ai.value') }),
    output: present({ embeddings: listOf(attributes, 'ai.embeddings', 'ai.embedding') }),
  };
}

/** One value is a list of one, so that both ways of calling give one form. */
function listOf(attributes: Attributes, many: string, one: string): JsonValue | undefined {
  const list = attributes.get(many);
  if (isJsonArray(list)) return list.map(jsonOf);
  const single = attributes.get(one);
  return single === undefined || single === null ? undefined : [jsonOf(single)];
}

/** The value of a JSON text, also of a string with its quotation marks. */
function jsonOf(text: JsonValue): JsonValue {
  const list = typeof text === 'string' ? structured(`[${text}]`) : undefined;
  const [value = null, ...more] = elementsOf(list);
  return value === null || more.length > 0 ? text : value;
}
