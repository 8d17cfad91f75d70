import { canonicalizeNaNs, type Contents } from './float-bits.js';

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
}

const { apply, defineProperty, get, getOwnPropertyDescriptor, set } = Reflect;

/**
 * A view of a buffer that holds something else, as in tricks with the bits of a float. Elements read and written through
 * it have canonical NaNs; it is slower than a typed array, and no function of the engine takes it for one.
 */
export function guardedView(view: View, { kind, held, part }: GuardedOptions): View {
  const { buffer, byteOffset, byteLength, BYTES_PER_ELEMENT: width } = view;
  const settle = (contents: Contents, from: number, to: number): void => {
    if (contents !== 'integers') canonicalizeNaNs(buffer, contents, from, to);
  };
  // Without methods, which the sketch may have replaced: a key that counts is an index.
  const around = (key: PropertyKey): readonly [number, number] => {
    const index = typeof key === 'string' ? Number(key) : NaN;
    return index >= 0
      ? [byteOffset + index * width, byteOffset + index * width + width]
      : [byteOffset, byteOffset + byteLength];
  };
  const subarray = (begin = 0, end = view.length): View => {
    const at = (index: number): number =>
      Math.min(Math.max(index < 0 ? view.length + Math.trunc(index) : Math.trunc(index), 0), view.length);
    return part(byteOffset + at(begin) * width, Math.max(0, at(end) - at(begin)));
  };
  const guarded: View = new Proxy(view, {
    get(target, key) {
      if (typeof key === 'string' && Number(key) >= 0) settle(held, ...around(key));
      if (key === 'subarray') return subarray;
      const value: unknown = get(target, key);
      if (typeof value !== 'function' || key === 'constructor') return value;
      return (...args: unknown[]): unknown => {
        settle(held, ...around(''));
        const result: unknown = apply(value, target, args);
        settle(kind, ...around(''));
        return result === target ? guarded : result;
      };
    },
    set(target, key, value) {
      const done = set(target, key, value);
      settle(kind, ...around(key));
      return done;
    },
    defineProperty(target, key, descriptor) {
      const done = defineProperty(target, key, descriptor);
      settle(kind, ...around(key));
      return done;
    },
    getOwnPropertyDescriptor(target, key) {
      settle(held, ...around(key));
      return getOwnPropertyDescriptor(target, key);
    },
  });
  return guarded;
}
