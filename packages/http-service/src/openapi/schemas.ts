import type { JsonSchema } from './route-description.js';

// Schemas that the descriptions of all services use.

export const TEXT: JsonSchema = { type: 'string' };
export const TEXT_OR_NULL: JsonSchema = { type: ['string', 'null'] };
export const COUNT: JsonSchema = { type: 'integer', minimum: 0 };

/** An object of these members, all required except the `optional` ones; later releases may add members. */
export function object(
  required: Readonly<Record<string, JsonSchema>>,
  optional: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema {
  return { type: 'object', required: Object.keys(required), properties: { ...required, ...optional } };
}

/** An object with members chosen by the caller or dependent on a type, as docs/spec.md defines. */
export const free = (description: string): JsonSchema => ({ type: 'object', additionalProperties: true, description });

/** The answer of `otlpLogs`. */
export const OTLP_LOGS: JsonSchema = object({
  resourceLogs: { type: 'array', items: free('As the JSON of OTLP logs has it.') },
});
