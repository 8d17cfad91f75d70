import { REDACTED } from '../bundle-types/layout.js';
import { setMember, type JsonObject, type JsonValue } from '../json/json-value.js';
import type { ValuePath } from './withheld-paths.js';

/** A copy in which the values at these paths are the literal `[REDACTED]`; paths that lead nowhere change nothing. */
export function redact(value: JsonObject, paths: readonly ValuePath[]): JsonObject {
  const copy: Record<string, JsonValue> = {};
  for (const [name, inner] of Object.entries(value)) {
    if (inner !== undefined) setMember(copy, name, redactInner(inner, pathsBelow(paths, name)));
  }
  return copy;
}

function redactInner(value: JsonValue, paths: readonly ValuePath[]): JsonValue {
  if (paths.length === 0) return value;
  if (paths.some((path) => path.length === 0)) return REDACTED;
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).map((item, index) => redactInner(item, pathsBelow(paths, index)));
  }
  return typeof value === 'object' && value !== null ? redact(value as JsonObject, paths) : value;
}

function pathsBelow(paths: readonly ValuePath[], step: string | number): readonly ValuePath[] {
  return paths.filter(([first]) => first === step).map((path) => path.slice(1));
}
