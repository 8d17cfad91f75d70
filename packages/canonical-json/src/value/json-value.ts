/** A value that strict JSON text can hold. Objects keep every own key, `__proto__` included. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [member: string]: JsonValue | undefined;
}

/** A plain object, as JSON text or an object literal makes it; not an array, Date, Map or class instance. */
export function isJsonObject(value: unknown): value is JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || isForeignObjectPrototype(prototype);
}

// An object made in another realm (a test realm, a frame) has that realm's Object.prototype.
function isForeignObjectPrototype(prototype: unknown): boolean {
  return (
    typeof prototype === 'object' &&
    prototype !== null &&
    Object.getPrototypeOf(prototype) === null &&
    Object.hasOwn(prototype, 'hasOwnProperty')
  );
}

/** An array of JSON values; `Array.isArray` alone would give its elements the type `any`. */
export function isJsonArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** The elements of an array; none of any other value. */
export function elementsOf(value: JsonValue | undefined): readonly JsonValue[] {
  return isJsonArray(value) ? value : [];
}

/** The own member of that name; never one that the prototype lends. */
export function member(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** The members of `names` that the object has, in the order of `names`. */
export function pickPresent(object: JsonObject, names: readonly string[]): JsonObject {
  const picked: Record<string, JsonValue> = {};
  for (const name of names) {
    const value = member(object, name);
    if (value !== undefined) setMember(picked, name, value);
  }
  return picked;
}

/** Assigns as own data, so that a member called `__proto__` stays a member. */
export function setMember(object: Record<string, JsonValue>, name: string, value: JsonValue): void {
  if (name === '__proto__') {
    Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[name] = value;
  }
}
