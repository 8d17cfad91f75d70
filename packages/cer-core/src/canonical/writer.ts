import { isJsonObject } from '../json/json-value.js';
import { quote, type LoneSurrogates } from './text.js';

/** Member names repeat from bundle to bundle; their quoted form is kept, for a bounded number of short names. */
const MAX_CACHED_NAMES = 4096;
const MAX_CACHED_NAME_LENGTH = 64;

/**
 * Makes a writer of canonical JSON (RFC 8785: sorted names, shortest numbers, minimal escapes, no white space).
 * @returns a function from a value to its canonical text, or to null for a value that has none; it never throws
 */
export function createCanonicalWriter(
  loneSurrogates: LoneSurrogates,
  maxDepth: number,
): (value: unknown) => string | null {
  const quotedNames = new Map<string, string>();
  let out = '';

  const writeName = (name: string): boolean => {
    const known = quotedNames.get(name);
    if (known !== undefined) {
      out += known;
      return true;
    }
    const quoted = quote(name, loneSurrogates);
    if (quoted === null) return false;
    const text = `${quoted}:`;
    if (name.length <= MAX_CACHED_NAME_LENGTH && quotedNames.size < MAX_CACHED_NAMES) quotedNames.set(name, text);
    out += text;
    return true;
  };

  const writeArray = (items: readonly unknown[], depth: number): boolean => {
    out += '[';
    // By index: a hole is an undefined element and must be refused, not skipped.
    for (let index = 0; index < items.length; index += 1) {
      if (index > 0) out += ',';
      if (!write(items[index], depth)) return false;
    }
    out += ']';
    return true;
  };

  const writeObject = (object: Readonly<Record<string, unknown>>, depth: number): boolean => {
    const names = sortedNames(object);
    let separator = '{';
    for (const name of names) {
      const value = object[name];
      if (value === undefined) continue;
      out += separator;
      separator = ',';
      if (!writeName(name) || !write(value, depth)) return false;
    }
    out += separator === '{' ? '{}' : '}';
    return true;
  };

  const write = (value: unknown, depth: number): boolean => {
    switch (typeof value) {
      case 'string': {
        const quoted = quote(value, loneSurrogates);
        if (quoted === null) return false;
        out += quoted;
        return true;
      }
      case 'number':
        if (!Number.isFinite(value)) return false;
        // ECMAScript's shortest form is RFC 8785's; -0 becomes 0.
        out += String(value);
        return true;
      case 'boolean':
        out += value ? 'true' : 'false';
        return true;
      case 'object':
        if (value === null) {
          out += 'null';
          return true;
        }
        if (depth >= maxDepth) return false;
        if (Array.isArray(value)) return writeArray(value, depth + 1);
        return isJsonObject(value) && writeObject(value, depth + 1);
      case 'undefined':
      case 'function':
      case 'symbol':
      case 'bigint':
        return false;
    }
  };

  return (value) => {
    out = '';
    const written = write(value, 0);
    const text = out;
    out = '';
    return written ? text : null;
  };
}

/** Names in UTF-16 code-unit order; most objects come sorted already, then nothing is moved. */
function sortedNames(object: object): string[] {
  const names = Object.keys(object);
  for (let index = 1; index < names.length; index += 1) {
    const previous = names[index - 1];
    const name = names[index];
    if (previous !== undefined && name !== undefined && previous > name) return names.sort();
  }
  return names;
}
