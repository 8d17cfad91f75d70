import type { Json } from '../json.js';
import { contentOf } from './json-of.js';
import { isMethod, prototypeOf } from './replaced-methods.js';

/** A value of the program as certify takes it. @throws TypeError for one that JSON does not hold */
export function heldContentOf(value: unknown): Json {
  if (isMethod(value)) throw new TypeError(NOT_HELD);
  return contentOf(value, checkHeld);
}

const NOT_HELD = 'a call is not certified: its content has a value that JSON does not hold, such as a Map or a stream';

/** @throws TypeError for an object whose JSON is empty although it holds something */
export function checkHeld(object: object): void {
  if (Array.isArray(object) || ArrayBuffer.isView(object)) return;
  const prototype = prototypeOf(object);
  // Plain, in any realm, or with members.
  const isShown = prototype === null || prototypeOf(prototype) === null || Object.keys(object).length > 0;
  if (!isShown || isIterable(object) || isMethod(Reflect.get(object, 'then'))) throw new TypeError(NOT_HELD);
}

export function isIterable(object: object): boolean {
  return Symbol.iterator in object || Symbol.asyncIterator in object;
}
