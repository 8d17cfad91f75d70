import { isJsonObject } from '../value/json-value.js';
import { appendPath } from '../value/path.js';
import { isWellFormed, type LoneSurrogates } from './text.js';

export interface CanonicalFault {
  readonly path: string;
  readonly rule: string;
}

/** The first place in a value that has no canonical form. Slow on purpose: it runs only after the writer has refused. */
export function findCanonicalFault(
  value: unknown,
  loneSurrogates: LoneSurrogates,
  maxDepth: number,
  path = '',
  depth = 0,
): CanonicalFault | null {
  const fault = (rule: string): CanonicalFault => ({ path, rule });
  const isRefused = (text: string): boolean => loneSurrogates === 'refuse' && !isWellFormed(text);
  switch (typeof value) {
    case 'string':
      return isRefused(value) ? fault('lone surrogate') : null;
    case 'number':
      return Number.isFinite(value) ? null : fault('not a finite number');
    case 'boolean':
      return null;
    case 'object':
      break;
    case 'undefined':
    case 'function':
    case 'symbol':
    case 'bigint':
      return fault(`${typeof value} is not a JSON value`);
  }
  if (value === null) return null;
  if (depth >= maxDepth) return fault(`nested deeper than ${maxDepth} levels`);
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const inner = findCanonicalFault(value[index], loneSurrogates, maxDepth, appendPath(path, index), depth + 1);
      if (inner !== null) return inner;
    }
    return null;
  }
  if (!isJsonObject(value)) return fault('not a plain JSON object');
  for (const key of Object.keys(value).sort()) {
    if (value[key] === undefined) continue;
    if (isRefused(key)) return fault('lone surrogate in a member name');
    const inner = findCanonicalFault(value[key], loneSurrogates, maxDepth, appendPath(path, key), depth + 1);
    if (inner !== null) return inner;
  }
  return null;
}
