import { builtins } from './builtins.js';
import { installConstructor } from './replace.js';

/**
 * Takes from the builtin objects of this realm every member that ECMAScript 2023 does not name: engines have others by
 * their version. Members that show the locale of the machine are replaced by ones that do not.
 * @throws Error for a member that cannot be taken
 */
export function pinBuiltins(): void {
  // Its newer members cannot be deleted.
  pinSymbol(listed('Symbol'));
  for (const { name, object, isListed } of builtins()) {
    const left = Reflect.ownKeys(object).filter((key) => !isListed(key) && !Reflect.deleteProperty(object, key));
    if (left.length === 0) continue;
    if (Reflect.get(globalThis, name) !== object || typeof object !== 'function')
      throw new Error(`${name}.${left.map(String).join()} cannot be deleted`);
    replaceWithListed(name, object, isListed);
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

function pinSymbol(isListed: (key: PropertyKey) => boolean): void {
  const native = Symbol;
  const { Symbol: pinned } = { Symbol: (description?: string | number) => native(description) };
  copyListed(native, pinned, isListed);
  installConstructor('Symbol', pinned, native.prototype);
}

function copyListed(from: object, to: object, isListed: (key: PropertyKey) => boolean): void {
  for (const key of Reflect.ownKeys(from)) {
    const descriptor = Reflect.getOwnPropertyDescriptor(from, key);
    if (isListed(key) && descriptor !== undefined) Reflect.defineProperty(to, key, descriptor);
  }
}

/** Makes another constructor of the same objects, for engines that let a member of theirs not be deleted. */
function replaceWithListed(name: string, native: CallableFunction, isListed: (key: PropertyKey) => boolean): void {
  const { apply, construct } = Reflect;
  // A function has no other members, and those can be defined.
  const members = function (): void {};
  const pinned: object = new Proxy(members, {
    apply: (_, self, args: readonly unknown[]) =>
      args[1] === undefined && isOwnPattern(args[0], pinned) ? args[0] : (apply(native, self, args) as unknown),
    construct: (_, args, newTarget) => construct(native, args, newTarget) as object,
  });
  copyListed(native, members, isListed);
  installConstructor(name, pinned, native.prototype as object);
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
