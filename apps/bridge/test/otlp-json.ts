import { randomBytes } from 'node:crypto';
import type { JsonObject, JsonValue } from '@cer/canonical-json';

/** An attribute value as OTLP's JSON writes it. */
function anyValue(value: JsonValue): JsonObject {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: (value as readonly JsonValue[]).map(anyValue) } };
  if (value === null) return {};
  return { kvlistValue: { values: attributesOf(value as JsonObject) } };
}

export function attributesOf(members: JsonObject): readonly JsonObject[] {
  return Object.entries(members).map(([name, value]) => ({ key: name, value: anyValue(value ?? null) }));
}

/** A model call by the current conventions. */
export const GEN_AI: JsonObject = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'openai',
  'gen_ai.request.model': 'gpt-4o',
  'gen_ai.request.temperature': 0.5,
  'gen_ai.request.max_tokens': 100,
  'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"Q"}]}]',
  'gen_ai.output.messages': '[{"role":"assistant","parts":[{"type":"text","content":"A"}]}]',
};

/** A span as OTLP's JSON writes it. */
export function span(attributes: JsonObject = GEN_AI, members: JsonObject = {}): JsonObject {
  return {
    traceId: randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    name: 'chat gpt-4o',
    kind: 3,
    startTimeUnixNano: '1767323045678901234',
    endTimeUnixNano: '1767323046000000000',
    attributes: attributesOf(attributes),
    ...members,
  };
}

/** An export request. */
export const exportOf = (...spans: readonly JsonObject[]): JsonObject => ({
  resourceSpans: [
    {
      resource: { attributes: attributesOf({ 'service.name': 'shop' }) },
      scopeSpans: [{ scope: { name: 't' }, spans }],
    },
  ],
});
