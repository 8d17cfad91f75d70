import { JsonError } from '../errors.js';
import type { JsonValue } from '../value/json-value.js';
import { findStrictFault } from './scan.js';
import { findSyntaxFault } from './syntax-fault.js';
import { isUtf16 } from './utf16.js';

/** Maximum levels of nested containers, the outermost being 1. @see docs/spec.md, "Strict JSON" */
export const MAX_DEPTH = {
  /** the body of a request, unless its route sets another limit */
  body: 128,
  /** any other text: the answer of a route to the deepest body, and that as `{bundle}` */
  text: 130,
  /** a value that is written canonically */
  canonical: 160,
} as const;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses strict JSON: valid UTF-8, no duplicate keys, no number that a double would silently change, bounded depth.
 * @param source UTF-8 bytes, or text
 * @param options.maxDepth levels of nested containers; MAX_DEPTH.text unless set
 * @param options.skipsByteOrderMark true for files: editors put U+FEFF before the text, where it is not part of the JSON
 * @throws JsonError JSON_SYNTAX when it is not JSON, JSON_NOT_STRICT with path and rule when it breaks a strict rule
 * @see docs/spec.md, "Strict JSON"
 */
export function parseJson(
  source: Uint8Array | string,
  options: { readonly maxDepth?: number; readonly skipsByteOrderMark?: boolean } = {},
): JsonValue {
  const whole = typeof source === 'string' ? source : decodeUtf8(source);
  const text = options.skipsByteOrderMark === true ? whole.replace(/^\ufeff/, '') : whole;
  const fault = findStrictFault(text, options.maxDepth ?? MAX_DEPTH.text);
  const value = parseText(text);
  if (fault !== null) throw fault;
  return value;
}

const UTF_16 = 'UTF-16 text: encode it as UTF-8 (in PowerShell: Out-File -Encoding utf8)';

function decodeUtf8(bytes: Uint8Array): string {
  if (isUtf16(bytes)) throw new JsonError('JSON_SYNTAX', '', UTF_16);
  try {
    return utf8.decode(bytes);
  } catch {
    throw new JsonError('JSON_NOT_STRICT', '', 'not valid UTF-8');
  }
}

function parseText(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    // The engine's message quotes the text, which may be confidential.
    const fault = findSyntaxFault(text);
    const where = fault === null ? '' : `: line ${fault.line}, column ${fault.column}: expected ${fault.expected}`;
    throw new JsonError('JSON_SYNTAX', '', `not valid JSON${where}`);
  }
}
