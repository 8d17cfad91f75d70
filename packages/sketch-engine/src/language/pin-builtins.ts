import { builtins } from './builtins.js';

/**
 * Takes from the builtin objects of this realm every member that ECMAScript 2023 does not name: engines have others by
 * their version. Members that show the locale of the machine are replaced by ones that do not.
 * @throws Error for a member that cannot be taken
 */
export function pinBuiltins(): void {
  // Its newer members cannot be deleted.
  Object.defineProperty(globalThis, 'Symbol', {
    value: symbolWithout(listed('Symbol')),
    configurable: true,
    writable: true,
  });
  for (const { name, object, isListed } of builtins())
    for (const key of Reflect.ownKeys(object))
      if (!isListed(key) && !Reflect.deleteProperty(object, key))
        throw new Error(`${name}.${String(key)} cannot be deleted`);
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

function alias(owner: object, names: Readonly<Record<string, string>>): void {
  replace(owner, Object.fromEntries(Object.entries(names).map(([name, of]) => [name, Reflect.get(owner, of)])));
}

function replace(owner: object, members: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(members))
    Object.defineProperty(owner, name, { value, writable: true, configurable: true, enumerable: false });
}
