import { MAX_DEPTH } from '../strict/parse.js';
import { isJsonObject } from '../value/json-value.js';

/** Do two values have the same canonical form, in svc-v1? False when either has none. */
export function isSameJson(left: unknown, right: unknown): boolean {
  return left === right || isSame(left, right, 0);
}

/** Member by member: writing both forms takes several times as long. */
function isSame(left: unknown, right: unknown, depth: number): boolean {
  if (typeof left !== 'object' || typeof right !== 'object') return left === right && hasForm(left);
  if (left === null || right === null) return left === right;
  if (depth >= MAX_DEPTH.canonical) return false;
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false;
    for (let index = 0; index < left.length; index += 1) {
      if (!isSame(left[index], right[index], depth + 1)) return false;
    }
    return true;
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return false;
  const names = presentNames(left);
  return (
    names.length === presentNames(right).length &&
    names.every((name) => Object.hasOwn(right, name) && isSame(left[name], right[name], depth + 1))
  );
}

function hasForm(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

/** An undefined member is none. */
function presentNames(object: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(object).filter((name) => object[name] !== undefined);
}
