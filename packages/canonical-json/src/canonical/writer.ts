import { isJsonObject } from '../value/json-value.js';
import { createMemberOrders } from './member-order.js';
import { isPlain, quote, type LoneSurrogates } from './text.js';

/** Ends a writing from any depth; the value it is about is looked for afterwards, by a slower walk. */
const REFUSED = new Error('has no canonical form');

/** The text of one call: a getter of the value may canonicalize another one meanwhile. */
interface Output {
  text: string;
}

/**
 * Makes a writer of canonical JSON (RFC 8785: sorted names, shortest numbers, minimal escapes, no white space).
 * @returns a function from a value to its canonical text, or to null for a value that has none; it never throws
 */
export function createCanonicalWriter(
  loneSurrogates: LoneSurrogates,
  maxDepth: number,
): (value: unknown) => string | null {
  const orderOf = createMemberOrders(loneSurrogates);

  const quoted = (text: string): string => {
    const found = quote(text, loneSurrogates);
    if (found === null) throw REFUSED;
    return found;
  };

  const writeArray = (out: Output, due: string, items: readonly unknown[], depth: number): string => {
    let after = `${due}[`;
    // By index: a hole is an undefined element and must be refused, not skipped.
    for (let index = 0; index < items.length; index += 1) {
      after = write(out, index === 0 ? after : `${after},`, items[index], depth);
    }
    return `${after}]`;
  };

  const writeObject = (out: Output, due: string, object: Readonly<Record<string, unknown>>, depth: number): string => {
    const order = orderOf(Object.keys(object));
    if (order === null) throw REFUSED;
    const { names, prefixes } = order;
    let after = due;
    let isEmpty = true;
    for (let index = 0; index < names.length; index += 1) {
      const value = object[names[index] ?? ''];
      // Not a member of the JSON object.
      if (value === undefined) continue;
      const prefix = prefixes[index] ?? '';
      after = write(out, after + (isEmpty && index > 0 ? `{${prefix.slice(1)}` : prefix), value, depth);
      isEmpty = false;
    }
    return isEmpty ? `${after}{}` : `${after}}`;
  };

  /**
   * Appends a value after the marks that are due before it. Marks wait for the text that follows them, because joining
   * strings costs more than copying a few characters.
   * @returns the marks that are due now
   */
  const write = (out: Output, due: string, value: unknown, depth: number): string => {
    switch (typeof value) {
      case 'string':
        if (!isPlain(value)) {
          out.text += due + quoted(value);
          return '';
        }
        out.text += `${due}"`;
        out.text += value;
        return '"';
      case 'number':
        if (!Number.isFinite(value)) throw REFUSED;
        // ECMAScript's shortest form is RFC 8785's; -0 becomes 0.
        out.text += due + String(value);
        return '';
      case 'boolean':
        return due + (value ? 'true' : 'false');
      case 'object':
        if (value === null) return `${due}null`;
        if (depth >= maxDepth) throw REFUSED;
        if (Array.isArray(value)) return writeArray(out, due, value, depth + 1);
        if (!isJsonObject(value)) throw REFUSED;
        return writeObject(out, due, value, depth + 1);
      case 'bigint':
      case 'function':
      case 'symbol':
      case 'undefined':
        throw REFUSED;
    }
  };

  return (value) => {
    try {
      const out: Output = { text: '' };
      const after = write(out, '', value, 0);
      return out.text + after;
    } catch (error) {
      if (error === REFUSED) return null;
      throw error;
    }
  };
}
