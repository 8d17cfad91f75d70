import { nanSettler, type Contents, type SettleNaNs } from './float-bits.js';

/** A typed array. */
export interface View {
  readonly buffer: ArrayBuffer;
  readonly byteOffset: number;
  readonly byteLength: number;
  readonly length: number;
  readonly BYTES_PER_ELEMENT: number;
}

interface GuardedOptions {
  /** The content of this view. */
  readonly kind: Contents;
  /** The content of the buffer before this view. */
  readonly held: Contents;
  /** Makes another view of the kind on the buffer, guarded like this one. */
  readonly part: (fromByte: number, length: number) => View;
  /** Makes a typed array of the kind, with its own buffer, of values. */
  readonly copy: (values: unknown) => object;
}

type Method = (this: unknown, ...args: unknown[]) => unknown;

const { apply, defineProperty, get, getOwnPropertyDescriptor, getPrototypeOf, set } = Reflect;

/** Methods that run code of the sketch, or return to it, between two elements that they read. */
const READING =
  'at entries every filter find findIndex findLast findLastIndex forEach includes indexOf join keys lastIndexOf map reduce reduceRight slice some toLocaleString values with';
/** Those of them that return a typed array. */
const COPYING: readonly unknown[] = ['filter', 'map', 'slice', 'with'];
const TYPED: object = getPrototypeOf(Uint8Array.prototype) as object;

/** The same methods of arrays, which read each element by its index, as they are before the sketch. */
const BY_INDEX = READING.split(' ').map((name) => ({
  name,
  method: get(Array.prototype, name) as Method,
  isCopying: COPYING.includes(name),
}));

/** @param value what the view has under the key: the method of all typed arrays, unless the sketch gave it another */
function byIndex(key: PropertyKey, value: unknown): (typeof BY_INDEX)[number] | undefined {
  if (value !== get(TYPED, key)) return undefined;
  const name = key === Symbol.iterator ? 'values' : key;
  for (let i = 0; i < BY_INDEX.length; i++) if (BY_INDEX[i]?.name === name) return BY_INDEX[i];
  return undefined;
}

/**
 * A view of a buffer that holds something else, as in tricks with the bits of a float. Elements read and written through
 * it have canonical NaNs; it is slower than a typed array, and no function of the engine takes it for one.
 */
export function guardedView(view: View, { kind, held, part, copy }: GuardedOptions): View {
  const { buffer, byteOffset, byteLength, BYTES_PER_ELEMENT: width } = view;
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
  const subarray = (begin = 0, end = view.length): View => {
    const at = (index: number): number =>
      Math.min(Math.max(index < 0 ? view.length + Math.trunc(index) : Math.trunc(index), 0), view.length);
    return part(byteOffset + at(begin) * width, Math.max(0, at(end) - at(begin)));
  };
  const guarded: View = new Proxy(view, {
    get(target, key) {
      if (typeof key === 'string' && +key >= 0) settleAt(settleHeld, key);
      if (key === 'subarray') return subarray;
      const value: unknown = get(target, key);
      if (typeof value !== 'function' || key === 'constructor') return value;
      const reading = byIndex(key, value);
      return (...args: unknown[]): unknown => {
        if (reading !== undefined) {
          const result = apply(reading.method, guarded, args);
          return reading.isCopying ? copy(result) : result;
        }
        settleHeld(byteOffset, byteOffset + byteLength);
        // Converting values may run code of the sketch: none is written before all are converted.
        const source = args[0];
        const isSet = key === 'set' && value === get(TYPED, key) && typeof source === 'object' && source !== null;
        const given = isSet ? [copy(source), args[1]] : args;
        const result: unknown = apply(value, target, given);
        settleWritten(byteOffset, byteOffset + byteLength);
        return result === target ? guarded : result;
      };
    },
    set(target, key, value) {
      const done = set(target, key, value);
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
