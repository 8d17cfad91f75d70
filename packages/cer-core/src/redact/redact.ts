import { isJsonArray, setMember, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { REDACTED } from '../bundle-types/layout.js';
import type { ValuePath } from './withheld-paths.js';

const NONE: readonly ValuePath[] = [];

/** A copy in which the values at these paths are the literal `[REDACTED]`; paths without a value are ignored. */
export function redact(value: JsonObject, paths: readonly ValuePath[]): JsonObject {
  const copy: Record<string, JsonValue> = {};
  const below = byFirstStep(paths);
  for (const [name, inner] of Object.entries(value)) {
    if (inner !== undefined) setMember(copy, name, redactInner(inner, below.get(name) ?? NONE));
  }
  return copy;
}

function redactInner(value: JsonValue, paths: readonly ValuePath[]): JsonValue {
  if (paths.length === 0) return value;
  if (paths.some((path) => path.length === 0)) return REDACTED;
  if (isJsonArray(value)) {
    const below = byFirstStep(paths);
    return value.map((item, index) => redactInner(item, below.get(index) ?? NONE));
  }
  return typeof value === 'object' && value !== null ? redact(value, paths) : value;
}

/** One pass over the paths: a hostile bundle may have a path for each of a million members. */
function byFirstStep(paths: readonly ValuePath[]): ReadonlyMap<string | number, readonly ValuePath[]> {
  const below = new Map<string | number, ValuePath[]>();
  for (const [first, ...rest] of paths) {
    if (first === undefined) continue;
    const known = below.get(first);
    if (known === undefined) below.set(first, [rest]);
    else known.push(rest);
  }
  return below;
}
