import { builtins } from './builtins.js';

/**
 * Takes from the builtin objects of this realm every member that ECMAScript 2023 does not name: engines have others by
 * their version. Members that show the locale of the machine are replaced by ones that do not.
 * @throws Error for a member that cannot be taken
 */
export function pinBuiltins(): void {
  // Its newer members cannot be deleted.
  replace(globalThis, { Symbol: symbolWithout(listed('Symbol')) });
  for (const { name, object, isListed } of builtins()) {
    const left = Reflect.ownKeys(object).filter((key) => !isListed(key) && !Reflect.deleteProperty(object, key));
    if (left.length === 0) continue;
    if (Reflect.get(globalThis, name) !== object || typeof object !== 'function')
      throw new Error(`${name}.${left.map(String).join()} cannot be deleted`);
    replaceConstructor(name, object, isListed);
  }
  alias(Date.prototype, {
    toLocaleString: 'toString',
    toLocaleDateString: 'toDateString',
    toLocaleTimeString: 'toTimeString',
  });
  alias(String.prototype, { toLocaleLowerCase: 'toLowerCase', toLocaleUpperCase: 'toUpperCase' });
  replace(String.prototype, {
    localeCompare(this: unknown, that: unknown): number {
      const [left, right] = [String(this), String(that)];
      return left < right ? -1 : left > right ? 1 : 0;
    },
  });
}

function listed(name: string): (key: PropertyKey) => boolean {
  return builtins().find((builtin) => builtin.name === name)?.isListed ?? (() => false);
}

function symbolWithout(isListed: (key: PropertyKey) => boolean): object {
  const native = Symbol;
  const { Symbol: pinned } = { Symbol: (description?: string | number) => native(description) };
  const members = Object.entries(Object.getOwnPropertyDescriptors(native)).filter(([key]) => isListed(key));
  Object.defineProperties(pinned, Object.fromEntries(members));
  Object.defineProperty(native.prototype, 'constructor', { value: pinned, configurable: true, writable: true });
  return pinned;
}

/** Makes another constructor of the same objects, for engines that let a member of theirs not be deleted. */
function replaceConstructor(name: string, native: Function, isListed: (key: PropertyKey) => boolean): void {
  function pinned(...args: unknown[]): unknown {
    if (new.target !== undefined) return Reflect.construct(native, args, new.target);
    return isOwnPattern(args[0], pinned) && args[1] === undefined ? args[0] : Reflect.apply(native, undefined, args);
  }
  for (const key of Reflect.ownKeys(native)) {
    const descriptor = Reflect.getOwnPropertyDescriptor(native, key);
    if (isListed(key) && descriptor !== undefined) Reflect.defineProperty(pinned, key, descriptor);
  }
  replace(native.prototype as object, { constructor: pinned });
  replace(globalThis, { [name]: pinned });
}

/** Whether `RegExp`, called as a function, gives the value back. */
function isOwnPattern(value: unknown, constructor: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Boolean(Reflect.get(value, Symbol.match)) && Reflect.get(value, 'constructor') === constructor;
}

function alias(owner: object, names: Readonly<Record<string, string>>): void {
  replace(owner, Object.fromEntries(Object.entries(names).map(([name, of]) => [name, Reflect.get(owner, of)])));
}

function replace(owner: object, members: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(members))
    Object.defineProperty(owner, name, { value, writable: true, configurable: true, enumerable: false });
}
