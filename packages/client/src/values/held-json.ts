import type { Json } from '../json.js';
import { contentOf } from './json-of.js';
import { isMethod, prototypeOf } from './replaced-methods.js';

/** A value of the program as certify takes it. @throws TypeError for one that JSON does not hold */
export function heldContentOf(value: unknown): Json {
  if (isMethod(value)) throw new TypeError(NOT_HELD);
  return contentOf(value, checkHeld);
}

const NOT_HELD = 'a call is not certified: its content has a value that JSON does not hold, such as a Map or a stream';

/** @returns the object. @throws TypeError for one whose JSON is empty although it holds something */
export function checkHeld(object: object): object {
  if (!isHeld(object)) throw new TypeError(NOT_HELD);
  return object;
}

/** False for an object whose JSON is empty although it holds something, such as a `Map`, a stream or a signal. */
function isHeld(object: object): boolean {
  if (Array.isArray(object) || (ArrayBuffer.isView(object) && !(object instanceof DataView))) return true;
  const prototype = prototypeOf(object);
  // Plain, in any realm, or with members.
  const isShown = prototype === null || prototypeOf(prototype) === null || Object.keys(object).length > 0;
  return isShown && !isIterable(object) && !isMethod(Reflect.get(object, 'then'));
}

/** A value of the program as certify takes it, and the kinds of objects in it that are `{}` there. */
export interface PartlyHeld {
  readonly content: Json;
  /** Such as `Map`; at most 64 characters each. */
  readonly without: readonly string[];
}

/** @throws TypeError for a value that contains itself */
export function partlyHeld(value: unknown): PartlyHeld {
  const without = new Set<string>();
  const content = contentOf(value, (object) => {
    if (isHeld(object)) return object;
    without.add(kindOf(object));
    // Its members are those of the class, such as the state and the sockets of a stream.
    return {};
  });
  return { content, without: [...without] };
}

/** A program can state any text as the tag of an object; only what reads as the name of a kind is one. */
function kindOf(object: object): string {
  const tag = Object.prototype.toString.call(object).slice('[object '.length, -1);
  return KIND.test(tag) ? tag : 'Object';
}

/** Such as `Map` and `Array Iterator`. */
const KIND = /^[A-Za-z_]\w{0,50}(?: Iterator)?$/;

export function isIterable(object: object): boolean {
  return Symbol.iterator in object || Symbol.asyncIterator in object;
}
