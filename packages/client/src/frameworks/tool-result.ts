import { heldContentOf, isIterable } from '../values/held-json.js';
import { outcomeOf } from '../values/json-of.js';
import { isMethod, isObject, join, methodOf, replace, type Method } from '../values/replaced-methods.js';
import { lose, quietly, TakenItems, type Endable } from './taken-items.js';

/** An observer of a promise. Its methods do not throw. */
interface Settled {
  value(value: unknown): void;
  error(error: unknown): void;
}

/**
 * Ends the call as its result ends: a promise when it settles, a lazy one when the program asks for its value, a
 * generator when the program has its last value or leaves it. A call whose result cannot be followed or has no JSON gets
 * no certificate. Does not throw.
 * @returns the result; for a promise of the platform one that settles in the same way
 */
export function followResult<R>(result: R, call: Endable): R {
  return quietly(call, () => whenSettled(result, endOf(call), call)) ?? result;
}

/** Not in a scope that has the result, which would keep the garbage collector from it. */
function endOf(call: Endable): Settled {
  return {
    value: (value) => {
      quietly(call, () => {
        if (isIterator(value)) followItems(value, call);
        else call.end('complete', () => heldContentOf(value));
      });
    },
    error: (error) => {
      call.end(outcomeOf(error), () => ({}));
    },
  };
}

function whenSettled<R>(result: R, ended: Settled, call: Endable): R {
  if (result instanceof Promise && result.constructor === Promise) {
    // The caller gets this promise, so that a rejection that nothing handles is still reported as one.
    const followed = result.then(
      (value: unknown) => {
        ended.value(value);
        return value;
      },
      (error: unknown) => {
        ended.error(error);
        throw error;
      },
    );
    // Libraries add methods. Members whose names are symbols are the platform's.
    const members = Object.entries(Object.getOwnPropertyDescriptors(result));
    return Object.defineProperties(followed, Object.fromEntries(members)) as R;
  }
  const then = isObject(result) ? methodOf(result, 'then') : null;
  if (then !== null && isObject(result)) followThenable(result, then, ended, call);
  else ended.value(result);
  return result;
}

const askers = new WeakMap<object, Set<Settled>>();

/** Never asks for the value itself: that may make a query, or make it again. */
function followThenable(result: object, then: Method, ended: Settled, call: Endable): void {
  join(askers, result, ended, (all) => {
    const hear = (name: keyof Settled, value: unknown): void => {
      for (const one of all) one[name](value);
      all.clear();
    };
    replace(result, 'then', function (this: unknown, onValue: unknown, onError: unknown, ...more: unknown[]) {
      const settled = (value: unknown): unknown => {
        hear('value', value);
        return isMethod(onValue) ? onValue(value) : value;
      };
      const failed = (error: unknown): unknown => {
        hear('error', error);
        if (isMethod(onError)) return onError(error);
        throw error;
      };
      return Reflect.apply(then, this, [settled, failed, ...more]);
    });
  });
  dropped?.register(result, new Unasked(call));
}

const takers = new WeakMap<object, Set<TakenItems>>();

function followItems(iterator: object, call: Endable): void {
  const items = new TakenItems(call);
  join(takers, iterator, items, (all) => {
    for (const name of ['next', 'return', 'throw']) {
      const method = methodOf(iterator, name);
      if (method === null) continue;
      const ended: Settled = {
        value: (step) => {
          for (const one of all) one.step(step, name === 'next');
        },
        error: (error) => {
          for (const one of all) one.fail(error);
        },
      };
      replace(iterator, name, function (this: unknown, ...args: unknown[]) {
        let step: unknown;
        try {
          step = Reflect.apply(method, this, args);
        } catch (error) {
          ended.error(error);
          throw error;
        }
        return quietly(call, () => whenSettled(step, ended, call)) ?? step;
      });
    }
  });
  dropped?.register(iterator, items);
}

function isIterator(value: unknown): value is object {
  return isObject(value) && isIterable(value) && methodOf(value, 'next') !== null;
}

/** A result that the program dropped. */
interface Dropped {
  leave(): void;
}

/** No reference may lead from what is registered to the result. Null where the platform does not say. */
const dropped =
  typeof FinalizationRegistry === 'undefined'
    ? null
    : new FinalizationRegistry<Dropped>((one) => {
        one.leave();
      });

class Unasked implements Dropped {
  readonly #call: Endable;

  constructor(call: Endable) {
    this.#call = call;
  }

  leave(): void {
    lose(this.#call, new Error('a tool is not certified: its result was dropped, and not asked for its value'));
  }
}
