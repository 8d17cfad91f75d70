const { trunc } = Math;

/**
 * The first arguments of a method as integers, in order; undefined stays. A conversion may run code of the sketch, which
 * must be over before NaNs are settled.
 */
export function integersOf(args: readonly unknown[], count: number): unknown[] {
  const integers: unknown[] = [];
  for (let i = 0; i < count; i++) integers[i] = args[i] === undefined ? undefined : trunc(args[i] as number);
  return integers;
}
