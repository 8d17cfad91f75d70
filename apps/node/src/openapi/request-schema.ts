import * as z from 'zod';
import type { JsonSchema, Parameter } from './route-description.js';

/** Schemas of client input, before defaults are applied. */
export function requestSchema(schema: z.ZodType): JsonSchema {
  // The document names its dialect once; rules in code cannot be expressed here and are in docs/spec.md.
  return Object.fromEntries(
    Object.entries(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })).filter(
      ([name]) => name !== '$schema',
    ),
  );
}

/** The parameters of a query, each with its description. */
export function queryOf({ shape }: z.ZodObject, descriptions: Readonly<Record<string, string>>): Parameter[] {
  return Object.entries(shape).map(([name, schema]) => {
    if (!(schema instanceof z.ZodType)) throw new Error(`the query parameter ${name} has no schema`);
    return { name, description: descriptions[name] ?? '', schema: requestSchema(schema) };
  });
}
