import { nanSettler, type Contents } from './float-bits.js';
import { viewGuard, type View } from './guarded-view.js';
import { integersOf } from './indexes.js';
import { isLimit } from './limits.js';
import { replaceConstructor, replaceMethod, type Method } from './replace.js';
import { sliceBuffer } from './slice-buffer.js';

/** Makes the NaNs of a buffer canonical, from one byte to the byte before another. */
type Settle = (buffer: unknown, fromByte: number, toByte: number) => void;
/** Calls, and has a failed allocation noted before it is thrown on. */
type Allocate = <Result>(make: () => Result) => Result;

const INTEGER_ARRAYS =
  'BigInt64Array BigUint64Array Int16Array Int32Array Int8Array Uint16Array Uint32Array Uint8Array Uint8ClampedArray';
const KINDS: ReadonlyMap<string, Contents> = new Map<string, Contents>([
  ['Float32Array', 4],
  ['Float64Array', 8],
  ...INTEGER_ARRAYS.split(' ').map((name): [string, Contents] => [name, 'integers']),
]);
const { apply, construct, defineProperty, get, getOwnPropertyDescriptor, getPrototypeOf } = Reflect;

/** Methods of typed arrays that allocate one. */
const COPYING = ['filter', 'map', 'slice', 'toReversed', 'toSorted', 'with'];

/**
 * Makes the buffers of the sketch in this realm the same in every engine: their size is fixed, and a NaN has the same
 * bits in each view. Code that took the constructors before keeps those of the engine.
 * @param onLimit called when there is no memory for a buffer: the error alone may not reach the sketch's `catch`
 */
export function pinMemory(onLimit: (thrown: unknown) => void): void {
  const allocate: Allocate = (make) => {
    try {
      return make();
    } catch (error) {
      if (isLimit(error)) onLimit(error);
      throw error;
    }
  };
  const contents = new WeakMap<object, Contents>();
  // The methods as they are now: the sketch may replace them.
  const [read, write] = [get(contents, 'get') as Method, get(contents, 'set') as Method];
  const contentsOf = (buffer: unknown): Contents | undefined => apply(read, contents, [buffer]) as Contents | undefined;
  const { prototype } = getPrototypeOf(Uint8Array) as { readonly prototype: object };
  const bufferOf = getterOf(prototype, 'buffer');
  const kindOf = getterOf(prototype, Symbol.toStringTag);
  /** A buffer holds what its first view holds: the first whose buffer was asked for, or that was made on it. */
  const claim = (buffer: object, kind: Contents): Contents => {
    const held = contentsOf(buffer) ?? kind;
    apply(write, contents, [buffer, held]);
    return held;
  };
  const settle: Settle = (buffer, fromByte, toByte) => {
    const held = contentsOf(buffer);
    if (held !== undefined && held !== 'integers') nanSettler(buffer as ArrayBuffer, held)(fromByte, toByte);
  };

  defineProperty(prototype, 'buffer', {
    get(this: unknown): unknown {
      const buffer = apply(bufferOf, this, []) as object;
      const kind = KINDS.get(String(apply(kindOf, this, [])));
      if (kind !== undefined) claim(buffer, kind);
      return buffer;
    },
    configurable: true,
    enumerable: false,
  });
  for (const name of COPYING)
    replaceMethod(prototype, name, (native) => ({
      method(this: unknown, ...args: unknown[]): unknown {
        return allocate<unknown>(() => apply(native, this, args));
      },
    }));
  const guardedView = viewGuard();
  for (const [name, kind] of KINDS) {
    const pinned = replaceConstructor(name, (native, args, newTarget) => {
      const view = allocate(() => construct(native, args, newTarget)) as View;
      // Not by destructuring: the sketch may have replaced the iterator of arrays.
      const buffer = args[0];
      if (typeof buffer !== 'object' || buffer === null || apply(bufferOf, view, []) !== buffer) return view;
      const held = claim(buffer, kind);
      if (held === kind) return view;
      const part = (from: number, length: number): View => {
        const made: object = construct(pinned, [buffer, from, length]);
        return made as View;
      };
      const copy = (values: unknown): object => allocate(() => construct(native, [values], newTarget));
      const width = get(native, 'BYTES_PER_ELEMENT') as number;
      return guardedView(view, { kind, held, width, part, copy });
    });
  }
  // Resizable buffers could be made until the machine has no addresses left.
  replaceConstructor('ArrayBuffer', (native, args, newTarget) =>
    allocate(() => construct(native, [args[0]], newTarget)),
  );
  replaceMethod(ArrayBuffer.prototype, 'slice', (native) => ({
    method(this: unknown, ...args: unknown[]): unknown {
      const settleAll = (): void => {
        settle(this, 0, Infinity);
      };
      return allocate<unknown>(() => sliceBuffer(native, settleAll, this, args));
    },
  }));
  pinDataView(settle);
}

/** Bytes that a method of a DataView reads at most. */
const MAX_BYTES_READ = 8;

function pinDataView(settle: Settle): void {
  const { prototype } = DataView;
  const [bufferOf, offsetOf] = [getterOf(prototype, 'buffer'), getterOf(prototype, 'byteOffset')];
  for (const name of Reflect.ownKeys(prototype)) {
    if (typeof name !== 'string' || !name.startsWith('get')) continue;
    replaceMethod(prototype, name, (native) => ({
      method(this: unknown, index: unknown, littleEndian: unknown): unknown {
        const buffer = apply(bufferOf, this, []);
        // Before the bytes are settled: its conversion may run code of the sketch that writes a NaN.
        const at = integersOf([index], 1)[0] as number | undefined;
        const from = Number(apply(offsetOf, this, [])) + (at !== undefined && at > 0 ? at : 0);
        settle(buffer, from, from + MAX_BYTES_READ);
        return apply(native, this, [at, littleEndian]);
      },
    }));
  }
  const canonical = {
    setFloat32: ['setUint32', 0x7fc0_0000],
    setFloat64: ['setBigUint64', 0x7ff8_0000_0000_0000n],
  } as const;
  for (const [name, [writer, bits]] of Object.entries(canonical)) {
    const write = get(prototype, writer) as Method;
    replaceMethod(prototype, name, (native) => ({
      method(this: unknown, at: unknown, value: unknown, littleEndian: unknown): unknown {
        // The engine refuses a BigInt.
        const number = typeof value === 'bigint' ? value : Number(value);
        return number === number
          ? apply(native, this, [at, number, littleEndian])
          : apply(write, this, [at, bits, littleEndian]);
      },
    }));
  }
}

function getterOf(owner: object, key: PropertyKey): Method {
  const found: unknown = getOwnPropertyDescriptor(owner, key)?.get;
  if (typeof found !== 'function') throw new Error(`no getter of ${String(key)}`);
  return found as Method;
}
