/** A JSON object of unknown content; not an array, not null. */
export function isJsonObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads a member that the object itself has; what its prototype has ("toString", a polluted "kid") is not there. */
export function ownMember(object: object, name: string): unknown {
  return Object.getOwnPropertyDescriptor(object, name)?.value;
}
