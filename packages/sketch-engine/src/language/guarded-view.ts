import { integersOf } from './indexes.js';
import { nanSettler, type Contents, type SettleNaNs } from './float-bits.js';

/** A typed array. */
export interface View {
  readonly buffer: ArrayBuffer;
}

interface GuardedOptions {
  /** The content of this view. */
  readonly kind: Contents;
  /** The content of the buffer before this view. */
  readonly held: Contents;
  /** Bytes per element. */
  readonly width: number;
  /** Makes another view of the kind on the buffer, guarded like this one. */
  readonly part: (fromByte: number, length: number) => View;
  /** Makes a typed array of the kind, with its own buffer, of values. */
  readonly copy: (values: unknown) => object;
}

type Method = (this: unknown, ...args: unknown[]) => unknown;

/** A member of all typed arrays. */
interface Member {
  readonly getter: unknown;
  readonly value: unknown;
  /** The same method of arrays, which reads each element by its index. */
  readonly byIndex: Method | undefined;
  /** Does it return a typed array? */
  readonly isCopying: boolean;
}

const { apply, defineProperty, get, getOwnPropertyDescriptor, getPrototypeOf, ownKeys, set } = Reflect;
const isView = get(ArrayBuffer, 'isView') as (value: unknown) => boolean;
/** Copies what is like an array without its iterator and its species. */
const copyOf = get(Array.prototype, 'toSpliced') as Method;

/** Methods that run code of the sketch, or return to it, between two elements that they read. */
const READING = new Set(
  'at entries every filter find findIndex findLast findLastIndex forEach includes indexOf join keys lastIndexOf map reduce reduceRight slice some toLocaleString toString values with'.split(
    ' ',
  ),
);
/** Those of them that return a typed array. */
const COPYING = new Set(['filter', 'map', 'slice', 'with']);

/** The members as they are before the sketch, by key; the record has no prototype. */
function membersNow(): Readonly<Record<PropertyKey, Member | undefined>> {
  const typed = getPrototypeOf(Uint8Array.prototype) as object;
  const members = Object.create(null) as Record<PropertyKey, Member | undefined>;
  for (const key of ownKeys(typed)) {
    const name = key === Symbol.iterator ? 'values' : String(key);
    const found = getOwnPropertyDescriptor(typed, key);
    const byIndex = READING.has(name) ? (get(Array.prototype, name) as Method) : undefined;
    members[key] = { getter: found?.get, value: found?.value as unknown, byIndex, isCopying: COPYING.has(name) };
  }
  return members;
}

/** The getter under a key, if there is one. */
function getterIn(holder: object, key: PropertyKey): unknown {
  for (let at: object | null = holder; at !== null; at = getPrototypeOf(at)) {
    const found = getOwnPropertyDescriptor(at, key);
    if (found !== undefined) return found.get;
  }
  return undefined;
}

/** Called before the sketch, whose members of the same names get no view without its guard. */
export function viewGuard(): (view: View, options: GuardedOptions) => View {
  const members = membersNow();
  const inner = (view: View, key: string): unknown => apply(members[key]?.getter as Method, view, []);
  return (view, options) =>
    guardedView(view, {
      ...options,
      members,
      buffer: inner(view, 'buffer') as ArrayBuffer,
      byteOffset: inner(view, 'byteOffset') as number,
      byteLength: inner(view, 'byteLength') as number,
    });
}

interface Guarded extends GuardedOptions {
  readonly members: Readonly<Record<PropertyKey, Member | undefined>>;
  readonly buffer: ArrayBuffer;
  readonly byteOffset: number;
  readonly byteLength: number;
}

/**
 * A view of a buffer that holds something else, as in tricks with the bits of a float. Elements read and written through
 * it have canonical NaNs; it is slower than a typed array, and no function of the engine takes it for one.
 */
function guardedView(view: View, options: Guarded): View {
  const { kind, held, width, part, copy, members, buffer, byteOffset, byteLength } = options;
  const settler = (contents: Contents): SettleNaNs =>
    contents === 'integers' ? () => {} : nanSettler(buffer, contents);
  const settleHeld = settler(held);
  const settleWritten = settler(kind);
  // Without functions and iterators, which the sketch may have replaced: a key that counts is an index.
  const settleAt = (settle: SettleNaNs, key: PropertyKey): void => {
    const index = typeof key === 'string' ? +key : NaN;
    if (index >= 0) settle(byteOffset + index * width, byteOffset + index * width + width);
    else settle(byteOffset, byteOffset + byteLength);
  };
  const length = byteLength / width;
  const subarray = (begin = 0, end = length): View => {
    const at = (index: number): number =>
      Math.min(Math.max(index < 0 ? length + Math.trunc(index) : Math.trunc(index), 0), length);
    return part(byteOffset + at(begin) * width, Math.max(0, at(end) - at(begin)));
  };
  const guarded: View = new Proxy(view, {
    get(target, key): unknown {
      if (typeof key === 'string' && +key >= 0) settleAt(settleHeld, key);
      const member = members[key];
      if (member === undefined) return get(target, key, guarded);
      if (member.getter !== undefined && getterIn(target, key) === member.getter) return get(target, key);
      const value: unknown = get(target, key, guarded);
      // A function of the sketch has the guarded view as `this`.
      if (typeof value !== 'function' || value !== member.value || key === 'constructor') return value;
      if (key === 'subarray') return subarray;
      const { byIndex, isCopying } = member;
      return (...args: unknown[]): unknown => {
        if (byIndex !== undefined) {
          const result = apply(byIndex, guarded, args);
          return isCopying ? copy(result) : result;
        }
        const indexes = key === 'copyWithin' ? integersOf(args, 3) : args;
        settleHeld(byteOffset, byteOffset + byteLength);
        // Converting values may run code of the sketch: none is written before all are converted.
        const source = args[0];
        const isConverted = key === 'set' && typeof source === 'object' && source !== null && !isView(source);
        const given = isConverted ? [copy(apply(copyOf, source, [])), args[1]] : indexes;
        const result: unknown = apply(value, target, given);
        settleWritten(byteOffset, byteOffset + byteLength);
        return result === target ? guarded : result;
      };
    },
    set(target, key, value) {
      // A setter of the sketch has the guarded view as `this`.
      const isElement = typeof key === 'string' && +key >= 0 && `${+key}` === key;
      const done = isElement ? set(target, key, value) : set(target, key, value, guarded);
      settleAt(settleWritten, key);
      return done;
    },
    defineProperty(target, key, descriptor) {
      const done = defineProperty(target, key, descriptor);
      settleAt(settleWritten, key);
      return done;
    },
    getOwnPropertyDescriptor(target, key) {
      settleAt(settleHeld, key);
      return getOwnPropertyDescriptor(target, key);
    },
  });
  return guarded;
}
