import { JsonError, parseJson as parseStrictJson, type JsonValue } from '@cer/canonical-json';
import { CerError } from './errors.js';

/** Strict JSON. @throws CerError JSON_SYNTAX, JSON_NOT_STRICT */
export function parseJson(source: Uint8Array | string, options: { readonly maxDepth?: number } = {}): JsonValue {
  try {
    return parseStrictJson(source, options);
  } catch (error) {
    if (!(error instanceof JsonError) || error.code === 'NO_CANONICAL_FORM') throw error;
    throw new CerError(error.code, error.path, error.rule);
  }
}

/** Levels of containers, the outermost being 1. @see docs/spec.md, "Strict JSON" */
export const MAX_DEPTH = {
  /** the value of a member of a certify or create request */
  requestMember: 96,
  /** a request body or a file */
  body: 128,
} as const;
