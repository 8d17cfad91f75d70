import { refuse } from './violation.js';

/**
 * A class of p5.js as sketches have it, for `instanceof` and `new`.
 * @param name the name in `p5`
 * @param prototype the prototype of its objects
 * @param make makes the object of `new`, as the function of the same purpose does, `createImage` for one
 */
export function sketchClass(name: string, prototype: object, make: (...args: never[]) => unknown): object {
  function Made(...args: unknown[]): unknown {
    // An object of a subclass would lack the members of the subclass.
    if (new.target !== Made) refuse(`p5.${name}: needs new, and has no subclasses`);
    return Reflect.apply(make, undefined, args);
  }
  Object.defineProperty(Made, 'name', { value: name });
  Object.defineProperty(prototype, 'constructor', { value: Made, writable: true, configurable: true });
  return Object.assign(Made, { prototype });
}
