import { integersOf } from './indexes.js';

type Method = (this: unknown, ...args: unknown[]) => unknown;

// As they are before the sketch, which may replace them.
const Bytes = Uint8Array;
const { max, min } = Math;
const { apply, get, getOwnPropertyDescriptor } = Reflect;
const byteLengthOf = get(getOwnPropertyDescriptor(ArrayBuffer.prototype, 'byteLength') ?? {}, 'get') as () => number;
const setBytes = get(Bytes.prototype, 'set') as Method;

/**
 * Copies a part of a buffer whose NaNs are canonical in the copy.
 * @param native the method `slice` of buffers
 * @param settle makes the NaNs of the buffer canonical
 */
export function sliceBuffer(native: Method, settle: () => void, buffer: unknown, args: readonly unknown[]): unknown {
  const indexes = integersOf(args, 2);
  const copy = apply(native, buffer, indexes);
  settle();
  // Again: the constructor of the copy may be the sketch's, and have written to the buffer.
  const [source, target] = [buffer as ArrayBuffer, copy as ArrayBuffer];
  const length = apply<ArrayBuffer, [], number>(byteLengthOf, source, []);
  const at = (index: unknown): number => {
    const integer = (index as number) || 0;
    return integer < 0 ? max(length + integer, 0) : min(integer, length);
  };
  const from = at(indexes[0]);
  const count = max((indexes[1] === undefined ? length : at(indexes[1])) - from, 0);
  apply(setBytes, new Bytes(target, 0, count), [new Bytes(source, from, count)]);
  return copy;
}
