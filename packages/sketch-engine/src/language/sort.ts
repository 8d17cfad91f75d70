type Compare = (a: unknown, b: unknown) => unknown;

/** `Array.prototype`, and the prototype that all typed arrays share. */
export interface SortedPrototypes {
  readonly array: object;
  readonly typedArray: object;
}

/**
 * Replaces the sorting methods by a stable merge sort. The language leaves the algorithm to the engine, and with a
 * comparator that contradicts itself, as `() => random() - 0.5` does, the algorithm shows.
 */
export function pinSort({ array, typedArray }: SortedPrototypes): void {
  const { apply } = Reflect;
  const typedLength = getterOf(typedArray, 'length');
  const { sort: sortNumbers, toSorted: toSortedNumbers } = typedArray as {
    readonly sort: (this: object) => unknown;
    readonly toSorted: (this: object) => unknown;
  };

  const sortInto = (target: object, source: object, compare: Compare): void => {
    const length = typedLength(source) as number;
    const values: unknown[] = [];
    for (let i = 0; i < length; i++) values[i] = (source as Record<number, unknown>)[i];
    const sorted = mergeSort(values, compare);
    for (let i = 0; i < length; i++) (target as Record<number, unknown>)[i] = sorted[i];
  };
  const arrayMethods = {
    sort(this: unknown, compare?: Compare): unknown {
      assertCompare(compare);
      const target = objectOf(this) as Record<number, unknown> & { readonly length: unknown };
      const length = lengthOf(target.length);
      const values: unknown[] = [];
      for (let i = 0; i < length; i++) if (i in target) values[values.length] = target[i];
      const sorted = sortedValues(values, compare);
      for (let i = 0; i < sorted.length; i++) target[i] = sorted[i];
      for (let i = sorted.length; i < length; i++) {
        if (i in target && !Reflect.deleteProperty(target, i)) throw new TypeError('Cannot delete an element');
      }
      return target;
    },
    toSorted(this: unknown, compare?: Compare): unknown {
      assertCompare(compare);
      const source = objectOf(this) as Record<number, unknown> & { readonly length: unknown };
      const length = lengthOf(source.length);
      if (length > MAX_ARRAY_LENGTH) throw new RangeError('Invalid array length');
      const values: unknown[] = [];
      for (let i = 0; i < length; i++) values[i] = source[i];
      return sortedValues(values, compare);
    },
  };
  const typedArrayMethods = {
    sort(this: object, compare?: Compare): unknown {
      assertCompare(compare);
      // Numbers without a comparator have one order alone.
      if (compare === undefined) return apply(sortNumbers, this, []);
      sortInto(this, this, compare);
      return this;
    },
    toSorted(this: object, compare?: Compare): unknown {
      assertCompare(compare);
      const copy = apply(toSortedNumbers, this, []) as object;
      if (compare !== undefined) sortInto(copy, this, compare);
      return copy;
    },
  };
  replaceMethods(array, arrayMethods);
  replaceMethods(typedArray, typedArrayMethods);
}

function replaceMethods(prototype: object, methods: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(methods))
    Object.defineProperty(prototype, name, { value, writable: true, configurable: true, enumerable: false });
}

function getterOf(prototype: object, name: string): (target: object) => unknown {
  const get: unknown = Reflect.get(Object.getOwnPropertyDescriptor(prototype, name) ?? {}, 'get');
  if (typeof get !== 'function') throw new Error(`no getter of ${name}`);
  const { apply } = Reflect;
  return (target) => apply(get, target, []) as unknown;
}

function assertCompare(compare: unknown): void {
  if (compare !== undefined && typeof compare !== 'function')
    throw new TypeError('The comparison function must be either a function or undefined');
}

function objectOf(value: unknown): object {
  if (value === undefined || value === null) throw new TypeError('sort called on null or undefined');
  return Object(value) as object;
}

const MAX_ARRAY_LENGTH = 0xffff_ffff;
const { min, trunc } = Math;

/** `LengthOfArrayLike` of the language. */
function lengthOf(length: unknown): number {
  const count = trunc(Number(length));
  return count > 0 ? min(count, Number.MAX_SAFE_INTEGER) : 0;
}

/** `undefined` comes last, and without a comparator texts decide. */
function sortedValues(values: readonly unknown[], compare: Compare | undefined): unknown[] {
  const known: unknown[] = [];
  for (let i = 0; i < values.length; i++) if (values[i] !== undefined) known[known.length] = values[i];
  const sorted = compare === undefined ? sortedByText(known) : mergeSort(known, compare);
  while (sorted.length < values.length) sorted[sorted.length] = undefined;
  return sorted;
}

function sortedByText(values: readonly unknown[]): unknown[] {
  const rows: { readonly text: string; readonly value: unknown }[] = [];
  for (let i = 0; i < values.length; i++) rows[i] = { text: textOf(values[i]), value: values[i] };
  const sorted = mergeSort(rows, (a, b) => {
    const [left, right] = [(a as { readonly text: string }).text, (b as { readonly text: string }).text];
    return left < right ? -1 : left > right ? 1 : 0;
  });
  for (let i = 0; i < sorted.length; i++) sorted[i] = (sorted[i] as { readonly value: unknown }).value;
  return sorted;
}

/** Symbols have no text: a TypeError, as the language asks. */
function textOf(value: unknown): string {
  if (typeof value === 'symbol') throw new TypeError('Cannot convert a Symbol value to a string');
  return String(value);
}

/** Merges runs of 1, 2, 4, ... values; the right one comes first only where the comparator says so. */
function mergeSort(values: unknown[], compare: Compare): unknown[] {
  const { length } = values;
  let from = values;
  let to: unknown[] = [];
  for (let i = 0; i < length; i++) to[i] = from[i];
  for (let width = 1; width < length; width *= 2) {
    for (let start = 0; start < length; start += 2 * width) {
      const middle = min(start + width, length);
      const end = min(start + 2 * width, length);
      let left = start;
      let right = middle;
      for (let at = start; at < end; at++) {
        const takesRight = left >= middle || (right < end && comesFirst(from[right], from[left], compare));
        to[at] = takesRight ? from[right++] : from[left++];
      }
    }
    [from, to] = [to, from];
  }
  return from;
}

function comesFirst(right: unknown, left: unknown, compare: Compare): boolean {
  const order = compare(left, right);
  if (typeof order === 'bigint') throw new TypeError('Cannot convert a BigInt value to a number');
  return Number(order) > 0;
}
