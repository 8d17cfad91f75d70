import {
  isJsonArray,
  isJsonObject,
  isWellFormed,
  JsonError,
  member,
  parseJson,
  type JsonValue,
} from '@cer/canonical-json';
import { hasFewPieces, MAX_PIECES } from '../../json-pieces.js';
import type { ToolCall } from './model-call.js';
import type { Attributes } from './span.js';

const MAX_LABEL = 256;
/** Content may be this deep, with room for the members around it. */
const MAX_CONTENT_DEPTH = 80;
const MAX_LISTED = 64;
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** A short text without control characters: the only kind of text that leaves an attribute for the certificate. */
export function label(value: JsonValue | undefined): string | undefined {
  if (typeof value !== 'string' || value === '' || value.length > MAX_LABEL) return undefined;
  if (PRINTABLE_ASCII.test(value)) return value;
  return CONTROL.test(value) || !isWellFormed(value) ? undefined : value;
}

/** The first of these attributes that is a label. */
export function firstLabel(attributes: Attributes, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const found = label(attributes.get(name));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The first of these attributes that is a finite number. */
export function firstNumber(attributes: Attributes, ...names: readonly string[]): number | undefined {
  for (const name of names) {
    const found = attributes.get(name);
    if (typeof found === 'number' && Number.isFinite(found)) return found;
  }
  return undefined;
}

/** A list of labels, which may be JSON text, or one. */
export function labels(value: JsonValue | undefined): readonly string[] {
  const read = structured(value);
  const list = isJsonArray(read) ? read : [value ?? null];
  return list.slice(0, MAX_LISTED).flatMap((element) => label(element) ?? []);
}

/**
 * An attribute whose convention is structured content or its JSON text: an object or a list is taken as it is, a text
 * that is strict JSON of an object or a list as its value, so that both ways of recording it give one hash;
 * any other text, and JSON that is too large, as text.
 */
export function structured(value: JsonValue | undefined): JsonValue | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  if (value.length > MAX_PIECES && !hasFewPieces(Buffer.from(value))) return value;
  try {
    return parseJson(value, { maxDepth: MAX_CONTENT_DEPTH });
  } catch (error) {
    if (error instanceof JsonError) return value;
    throw error;
  }
}

/** An object of the members that are there, whose names are ours; undefined when none is. */
export function present(members: Readonly<Record<string, JsonValue | undefined>>): JsonValue | undefined {
  // A loop, because this runs several times for each span.
  const found: Record<string, JsonValue> = {};
  let isEmpty = true;
  for (const name in members) {
    const value = members[name];
    if (value === undefined) continue;
    found[name] = value;
    isEmpty = false;
  }
  return isEmpty ? undefined : found;
}

/** The tool calls among elements that name them somehow. */
export function toolCalls(
  elements: JsonValue | undefined,
  nameOf: (element: JsonValue) => JsonValue | undefined,
  idOf: (element: JsonValue) => JsonValue | undefined,
): readonly ToolCall[] {
  if (!isJsonArray(elements)) return [];
  return elements.slice(0, MAX_LISTED).flatMap((element) => {
    const name = label(nameOf(element));
    const id = label(idOf(element));
    return name === undefined ? [] : [{ name, ...(id !== undefined && { id }) }];
  });
}

/** A member of a member, when all on the way are objects. */
export function at(value: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>(
    (holder, name) => (isJsonObject(holder) ? member(holder, name) : undefined),
    value,
  );
}
