import { refuse } from '../drawing/violation.js';

type Method = (this: unknown, ...args: unknown[]) => unknown;

/** Every way to define an accessor, or to put an object with one between an array and `Object.prototype`. */
const WAYS = [
  ['Object', ['defineProperties', 'defineProperty', 'setPrototypeOf']],
  ['Reflect', ['defineProperty', 'setPrototypeOf']],
] as const;

/**
 * Refuses sketches that give every array an accessor for an element: it would be handed what the engine's own code puts
 * into its arrays, parts of its memory included.
 */
export function refuseArrayAccessors(scope: typeof globalThis): void {
  const { apply, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect;
  const { prototype } = scope.Array;
  const parent = getPrototypeOf(prototype);
  const hasAccessor = (): boolean => {
    const keys = ownKeys(prototype);
    // Elements come before `length`, which every array has.
    for (let at = 0; keys[at] !== 'length'; at++) {
      if (getOwnPropertyDescriptor(prototype, keys[at] ?? '')?.value === undefined) return true;
    }
    return false;
  };
  const checked = (native: Method): Method =>
    new Proxy(native, {
      apply(_, self, args) {
        const result = apply(native, self, args);
        if (getPrototypeOf(prototype) !== parent || hasAccessor()) refuse('Array.prototype: may not have elements');
        return result;
      },
    });
  for (const [name, methods] of WAYS) {
    for (const method of methods) replace(scope[name], method, 'value');
  }
  replace(scope.Object.prototype, '__defineGetter__', 'value');
  replace(scope.Object.prototype, '__defineSetter__', 'value');
  replace(scope.Object.prototype, '__proto__', 'set');

  function replace(owner: object, key: string, part: 'value' | 'set'): void {
    const native: unknown = getOwnPropertyDescriptor(owner, key)?.[part];
    if (typeof native === 'function') defineProperty(owner, key, { [part]: checked(native as Method) });
  }
}
