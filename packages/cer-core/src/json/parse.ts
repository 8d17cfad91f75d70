import { CerError } from '../errors.js';
import type { JsonValue } from './json-value.js';
import { findStrictFault } from './scan.js';

/** Levels of containers, the outermost being 1. @see docs/spec.md, "Strict JSON" */
export const MAX_DEPTH = {
  /** the value of a member of a certify or create request */
  requestMember: 96,
  /** a request body or a file */
  body: 128,
  /** anything handed to the canonicalizer */
  canonical: 160,
} as const;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses strict JSON: valid UTF-8, no duplicate keys, no number that a double would silently change, bounded depth.
 * @param source the bytes as they came, or text
 * @throws CerError JSON_SYNTAX when it is no JSON at all, JSON_NOT_STRICT with path and rule when it breaks a strict rule
 * @see docs/spec.md, "Strict JSON"
 */
export function parseJson(source: Uint8Array | string, options: { readonly maxDepth?: number } = {}): JsonValue {
  const text = typeof source === 'string' ? source : decodeUtf8(source);
  const fault = findStrictFault(text, options.maxDepth ?? MAX_DEPTH.body);
  const value = parseText(text);
  if (fault !== null) throw fault;
  return value;
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new CerError('JSON_NOT_STRICT', '', 'not valid UTF-8');
  }
}

function parseText(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    // The engine's message quotes the text, which may be confidential.
    throw new CerError('JSON_SYNTAX', '', 'not valid JSON');
  }
}
