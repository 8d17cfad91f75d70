/**
 * The one value of this name in the process: a program may have several clients, and several bundles of this module.
 * @param make makes the value where there is none yet
 * @returns a function that returns the value, which is looked up or made by its first call
 */
export function processWide<T extends object>(name: string, make: () => T): () => T {
  const key = Symbol.for(`@cer/client: ${name}`);
  let known: T | undefined;
  return () => {
    known ??= Reflect.get(globalThis, key) as T | undefined;
    if (known !== undefined) return known;
    known = make();
    Reflect.set(globalThis, key, known);
    return known;
  };
}
