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
