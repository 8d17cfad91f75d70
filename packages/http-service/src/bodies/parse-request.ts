import { JsonError, MAX_DEPTH, parseJson, type JsonValue } from '@cer/canonical-json';
import type * as z from 'zod';
import type { ServiceRequest } from '../handler/handler.js';
import { validationError } from '../errors/service-error.js';
import { zodFaults } from '../errors/zod-faults.js';

export interface ParseOptions {
  /** Levels of containers; the outermost is 1. */
  readonly maxDepth?: number;
}

/**
 * The JSON value of a request body, parsed strictly.
 * @throws ServiceError VALIDATION_ERROR naming the path and the rule
 * @see docs/spec.md, "Strict JSON"
 */
export function parseJsonBody(request: Pick<ServiceRequest, 'body'>, options: ParseOptions = {}): JsonValue {
  try {
    return parseJson(request.body, { maxDepth: options.maxDepth ?? MAX_DEPTH.body });
  } catch (error) {
    if (error instanceof JsonError) throw validationError([error.message]);
    throw error;
  }
}

/**
 * Checks a value against a request schema.
 * @returns zod's result; never hash it, hash a projection of the parsed value
 * @throws ServiceError VALIDATION_ERROR with every fault as `path: rule`
 */
export function checkRequest<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  return checked(schema, value, 'body');
}

/**
 * Checks query parameters against a schema of strings; a parameter given twice is refused.
 * @throws ServiceError VALIDATION_ERROR with every fault as `name: rule`
 */
export function checkQuery<Schema extends z.ZodType>(schema: Schema, query: URLSearchParams): z.output<Schema> {
  const names = new Set<string>();
  const repeated = new Set<string>();
  for (const name of query.keys()) (names.has(name) ? repeated : names).add(name);
  if (repeated.size > 0)
    throw validationError([...repeated].map((name) => `${JSON.stringify(name.slice(0, 64))}: must be given once`));
  return checked(schema, Object.fromEntries(query), 'query');
}

function checked<Schema extends z.ZodType>(schema: Schema, value: unknown, whole: string): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw validationError(zodFaults(result.error, value, whole));
}
