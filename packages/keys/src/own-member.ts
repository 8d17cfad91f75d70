/** Whether the value is an untrusted JSON object; not an array, not null. */
export function isJsonObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads an own member of the object; members of its prototype ("toString", a polluted "kid") count as absent. */
export function ownMember(object: object, name: string): unknown {
  return Object.getOwnPropertyDescriptor(object, name)?.value;
}
