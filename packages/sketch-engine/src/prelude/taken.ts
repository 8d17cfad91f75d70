/**
 * Members of the page's interfaces, taken before the page is confined: they work on an object after its
 * prototype was emptied.
 */
type Taken = (target: object, ...args: readonly unknown[]) => unknown;

/** @throws Error when the interface has no such getter */
export function takeGetter(prototype: object, name: string): Taken {
  return take(prototype, name, 'get');
}

/** @throws Error when the interface has no such setter */
export function takeSetter(prototype: object, name: string): Taken {
  return take(prototype, name, 'set');
}

/** @throws Error when the interface has no such method */
export function takeMethod(prototype: object, name: string): Taken {
  return take(prototype, name, 'value');
}

function take(prototype: object, name: string, part: 'get' | 'set' | 'value'): Taken {
  const descriptor = Object.getOwnPropertyDescriptor(prototype, name);
  const found: unknown = descriptor === undefined ? undefined : Reflect.get(descriptor, part);
  if (typeof found !== 'function') throw new Error(`the page has no ${name}`);
  const { apply } = Reflect;
  return (target, ...args) => apply(found, target, args) as unknown;
}
