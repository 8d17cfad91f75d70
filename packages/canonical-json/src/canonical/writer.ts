import { isJsonObject } from '../value/json-value.js';
import { createMemberOrders, type MemberOrder } from './member-order.js';
import { escape, isPlain, type LoneSurrogates } from './text.js';

/** Ends a writing from any depth; the value it is about is looked for afterwards, by a slower walk. */
const REFUSED = new Error('has no canonical form');

/** The differences between writers. */
interface Form {
  readonly orderOf: (given: readonly string[]) => MemberOrder | null;
  readonly loneSurrogates: LoneSurrogates;
  readonly maxDepth: number;
}

/**
 * Makes a writer of canonical JSON (RFC 8785: sorted names, shortest numbers, minimal escapes, no white space).
 * @returns a function from a value to its canonical text, or to null for a value that has none; it never throws
 */
export function createCanonicalWriter(
  loneSurrogates: LoneSurrogates,
  maxDepth: number,
): (value: unknown) => string | null {
  const form: Form = { orderOf: createMemberOrders(loneSurrogates), loneSurrogates, maxDepth };
  return (value) => {
    try {
      return write('', value, 0, form);
    } catch (error) {
      if (error === REFUSED) return null;
      throw error;
    }
  };
}

/**
 * @returns the text with the value appended: text that is passed along is joined faster than parts of each level.
 *   Comparisons in place of a `switch`, for which the engine looks up the name of the type.
 */
function write(text: string, value: unknown, depth: number, form: Form): string {
  if (typeof value === 'string') return writeString(text, value, form);
  if (typeof value === 'object') {
    if (value === null) return `${text}null`;
    if (depth >= form.maxDepth) throw REFUSED;
    if (Array.isArray(value)) return writeArray(text, value, depth + 1, form);
    if (!isJsonObject(value)) throw REFUSED;
    return writeObject(text, value, depth + 1, form);
  }
  // ECMAScript's shortest form is RFC 8785's; -0 becomes 0.
  if (typeof value === 'number' && Number.isFinite(value)) return text + String(value);
  if (typeof value === 'boolean') return text + (value ? 'true' : 'false');
  throw REFUSED;
}

function writeString(text: string, value: string, { loneSurrogates }: Form): string {
  if (isPlain(value)) return `${text}"${value}"`;
  const escaped = escape(value, loneSurrogates);
  if (escaped === null) throw REFUSED;
  return text + escaped;
}

function writeArray(text: string, items: readonly unknown[], depth: number, form: Form): string {
  let written = `${text}[`;
  // By index: a hole is an undefined element and must be refused, not skipped.
  for (let index = 0; index < items.length; index += 1) {
    if (index > 0) written += ',';
    written = write(written, items[index], depth, form);
  }
  return `${written}]`;
}

function writeObject(text: string, object: Readonly<Record<string, unknown>>, depth: number, form: Form): string {
  const order = form.orderOf(Object.keys(object));
  if (order === null) throw REFUSED;
  const { names, prefixes } = order;
  let written = text;
  let isEmpty = true;
  for (let index = 0; index < names.length; index += 1) {
    const value = object[names[index] ?? ''];
    // Not a member of the JSON object.
    if (value === undefined) continue;
    const prefix = prefixes[index] ?? '';
    written = write(written + (isEmpty && index > 0 ? `{${prefix.slice(1)}` : prefix), value, depth, form);
    isEmpty = false;
  }
  return isEmpty ? `${written}{}` : `${written}}`;
}
