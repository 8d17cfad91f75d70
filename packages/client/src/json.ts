import { isWellFormed } from '@cer/canonical-json';

/** A JSON value. The declarations of this package import no other package, so it has its own. */
export type Json = null | boolean | number | string | readonly Json[] | JsonMembers;

export interface JsonMembers {
  readonly [member: string]: Json | undefined;
}

/** A plain JSON object, not an array and not null. */
export function isMembers(value: unknown): value is JsonMembers {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The own member of that name when it is text. */
export function textOf(value: unknown, name: string): string | null {
  const found = isMembers(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return typeof found === 'string' ? found : null;
}

/** Maximum characters of an id or a code that a certificate states: a provider can put any text there. */
const MAX_ID_LENGTH = 1024;

/** Whether a certificate can state this id or code of a provider. */
export function isId(text: string): boolean {
  return text.length <= MAX_ID_LENGTH && isWellFormed(text);
}

/** The own member of that name when it is an id or a code that a certificate can state. */
export function idOf(value: unknown, name: string): string | null {
  const text = textOf(value, name);
  return text !== null && isId(text) ? text : null;
}
