import { isJsonObject } from '../value/json-value.js';
import { createMemberOrders } from './member-order.js';
import { quote, type LoneSurrogates } from './text.js';

/** Ends a writing from any depth; the value it is about is looked for afterwards, by a slower walk. */
const REFUSED = new Error('has no canonical form');

/**
 * Makes a writer of canonical JSON (RFC 8785: sorted names, shortest numbers, minimal escapes, no white space).
 * @returns a function from a value to its canonical text, or to null for a value that has none; it never throws
 */
export function createCanonicalWriter(
  loneSurrogates: LoneSurrogates,
  maxDepth: number,
): (value: unknown) => string | null {
  const orderOf = createMemberOrders(loneSurrogates);

  const writeText = (text: string): string => {
    const quoted = quote(text, loneSurrogates);
    if (quoted === null) throw REFUSED;
    return quoted;
  };

  const writeArray = (items: readonly unknown[], depth: number): string => {
    if (items.length === 0) return '[]';
    let out = `[${write(items[0], depth)}`;
    // By index: a hole is an undefined element and must be refused, not skipped.
    for (let index = 1; index < items.length; index += 1) out += `,${write(items[index], depth)}`;
    return `${out}]`;
  };

  const writeObject = (object: Readonly<Record<string, unknown>>, depth: number): string => {
    const given = Object.keys(object);
    if (given.length === 0) return '{}';
    const order = orderOf(given);
    if (order === null) throw REFUSED;
    const { names, prefixes } = order;
    let out = '';
    for (let index = 0; index < names.length; index += 1) {
      const value = object[names[index] ?? ''];
      if (value === undefined) return writeObject(withoutUndefined(object), depth);
      out += (prefixes[index] ?? '') + write(value, depth);
    }
    return `${out}}`;
  };

  const write = (value: unknown, depth: number): string => {
    switch (typeof value) {
      case 'string':
        return writeText(value);
      case 'number':
        if (!Number.isFinite(value)) throw REFUSED;
        // ECMAScript's shortest form is RFC 8785's; -0 becomes 0.
        return String(value);
      case 'boolean':
        return value ? 'true' : 'false';
      case 'object':
        if (value === null) return 'null';
        if (depth >= maxDepth) throw REFUSED;
        if (Array.isArray(value)) return writeArray(value, depth + 1);
        if (!isJsonObject(value)) throw REFUSED;
        return writeObject(value, depth + 1);
      case 'bigint':
      case 'function':
      case 'symbol':
      case 'undefined':
        throw REFUSED;
    }
  };

  return (value) => {
    try {
      return write(value, 0);
    } catch (error) {
      if (error === REFUSED) return null;
      throw error;
    }
  };
}

/** Members whose value is undefined are not members of the JSON object. */
function withoutUndefined(object: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
