/** A function of an object. */
export type Method = (...args: unknown[]) => unknown;

export function isMethod(value: unknown): value is Method {
  return typeof value === 'function';
}

export function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** @throws TypeError for an object that cannot be changed */
export function replace(object: object, name: string, method: Method): void {
  Object.defineProperty(object, name, { value: method, configurable: true, writable: true });
}

/**
 * The method of an object; null without one. No getter is run: that of a lazy object may begin its work.
 * @throws TypeError for a getter
 */
export function methodOf(object: object, name: string): Method | null {
  for (let at: object | null = object; at !== null; at = prototypeOf(at)) {
    const found = Object.getOwnPropertyDescriptor(at, name);
    if (found?.get !== undefined) throw new TypeError(`a tool is not certified: its result has a getter ${name}`);
    const value: unknown = found?.value;
    if (found !== undefined) return isMethod(value) ? value : null;
  }
  return null;
}

export function prototypeOf(object: object): object | null {
  return Object.getPrototypeOf(object) as object | null;
}

/** Adds a follower to those of an object whose methods are replaced once: a tool may return it again. */
export function join<F>(
  followers: WeakMap<object, Set<F>>,
  object: object,
  follower: F,
  replaceIn: (all: Set<F>) => void,
): void {
  const known = followers.get(object);
  if (known !== undefined) {
    known.add(follower);
    return;
  }
  const all = new Set([follower]);
  replaceIn(all);
  followers.set(object, all);
}
