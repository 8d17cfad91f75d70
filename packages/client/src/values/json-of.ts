import type { Json } from '../json.js';

/** An object of a framework, which may be an instance of a class. */
export type Members = Readonly<Record<string, unknown>>;

/** The members of an object; none of another value. */
export function membersOf(value: unknown): Members {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null;
}

/** The elements of a list; none of another value. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * The JSON of a framework's value, as `JSON.stringify` gives it; functions and undefined members are left out. Bytes are
 * base64, integers of arbitrary size text, errors their names.
 * @param shown the object whose JSON is taken in place of an object; throws for one that has to be refused
 * @throws TypeError for a value that contains itself
 */
export function jsonOf(value: unknown, shown: (object: object) => object = (object) => object): Json {
  const text = JSON.stringify(withBase64(value), (_, member: unknown) => {
    if (typeof member === 'bigint') return member.toString();
    if (typeof member !== 'object' || member === null) return member;
    if (member instanceof Error) return { name: member.name };
    return withBase64(shown(member));
  }) as string | undefined;
  return text === undefined ? null : (JSON.parse(text) as Json);
}

/** The value with base64 in place of bytes, before `JSON.stringify` asks a buffer for a list of numbers. */
function withBase64(value: unknown): unknown {
  if (isBytes(value)) return base64Of(value);
  if (Array.isArray(value)) return value.some(isBytes) ? value.map(base64OrSame) : value;
  if (!isObject(value) || !Object.values(value).some(isBytes)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, base64OrSame(member)]));
}

function base64OrSame(value: unknown): unknown {
  return isBytes(value) ? base64Of(value) : value;
}

function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array;
}

function base64Of(bytes: Uint8Array): string {
  const step = 0x8000;
  let text = '';
  for (let at = 0; at < bytes.length; at += step) text += String.fromCharCode(...bytes.subarray(at, at + step));
  return btoa(text);
}

/** A value as certify takes input and output: text, an object or a list; another value is the member `value`. */
export function contentOf(value: unknown, shown?: (object: object) => object): Json {
  const json = jsonOf(value, shown);
  return typeof json === 'string' || (typeof json === 'object' && json !== null) ? json : { value: json };
}

/** How a call ends that throws this error. */
export function outcomeOf(error: unknown): 'aborted' | 'failed' {
  return isAbort(error) ? 'aborted' : 'failed';
}

/** Did the caller end this call? */
export function isAbort(error: unknown): boolean {
  const name: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'name') : null;
  return typeof name === 'string' && /abort/i.test(name);
}

/** The HTTP status that an SDK's error states; null without one. */
export function statusOf(error: unknown): number | null {
  if (typeof error !== 'object' || error === null) return null;
  const found = [Reflect.get(error, 'status'), Reflect.get(error, 'statusCode')].find((one) => typeof one === 'number');
  return typeof found === 'number' ? found : null;
}

/** The members of a request, without its signal and headers, which may hold keys, and without other names. */
export function requestMembers(request: unknown, ...without: readonly string[]): Readonly<Record<string, unknown>> {
  const left = new Set(['abortSignal', 'headers', ...without]);
  return Object.fromEntries(Object.entries(request ?? {}).filter(([name]) => !left.has(name)));
}
