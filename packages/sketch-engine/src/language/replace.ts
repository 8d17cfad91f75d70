export type Construct = new (...args: unknown[]) => object;
export type Method = (this: unknown, ...args: unknown[]) => unknown;

const { defineProperty, get } = Reflect;

/** Its call without `new`, its members and its prototype stay. */
export function replaceConstructor(
  name: string,
  make: (native: Construct, args: readonly unknown[], newTarget: Construct) => object,
): Construct {
  const native = get(globalThis, name) as Construct;
  const pinned = new Proxy(native, { construct: (_, args, newTarget) => make(native, args, newTarget as Construct) });
  installConstructor(name, pinned, native.prototype as object);
  return pinned;
}

/** Puts a constructor in the place of the global one, also for those who ask an object for its constructor. */
export function installConstructor(name: string, value: object, prototype: object): void {
  const changeable = { writable: true, configurable: true, enumerable: false };
  defineProperty(globalThis, name, { value, ...changeable });
  defineProperty(prototype, 'constructor', { value, ...changeable });
}

/** A method has no members that a function has, as those of the engine. */
export function replaceMethod(
  owner: object,
  name: string,
  make: (native: Method) => { readonly method: Method },
): void {
  const native = get(owner, name) as Method;
  const { length } = native;
  const value = Object.defineProperties(make(native).method, { name: { value: name }, length: { value: length } });
  defineProperty(owner, name, { value, writable: true, configurable: true, enumerable: false });
}
