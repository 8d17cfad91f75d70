/**
 * The one value of this name in the process: a program may have several clients, and several bundles of this module.
 * @param make makes the value where there is none yet
 */
export function processWide<T extends object>(name: string, make: () => T): T {
  const key = Symbol.for(`@cer/client: ${name}`);
  const found = Reflect.get(globalThis, key) as T | undefined;
  if (found !== undefined) return found;
  const made = make();
  Reflect.set(globalThis, key, made);
  return made;
}
