import { isLimit } from './limits.js';
import { pinBuiltins } from './pin-builtins.js';
import { pinDates } from './pin-dates.js';
import { addEmptyTraces, pinErrors } from './pin-errors.js';
import { pinMemory } from './pin-memory.js';
import { CAUGHT } from './syntax-names.js';

/** Values that a sketch caught, the last first. */
interface Catches {
  readonly thrown: unknown;
  readonly before: Catches | undefined;
}

/** Declared by the first script of the realm. */
declare let __catches: Catches | undefined;

/**
 * Gives the sketches of this realm the language of ECMAScript 2023 without what engines and machines do differently.
 * The realm's own code takes the constructors of buffers before, or works with the pinned ones.
 * @param onLimit called once a sketch caught a limit of the machine, or had no memory for a buffer; the error is thrown on
 * @returns a function that calls `onLimit` for caught values that the check could not see for lack of stack
 */
export function pinRealm(onLimit: (thrown: unknown) => void): () => void {
  const check = (): void => {
    let caught = __catches;
    __catches = undefined;
    for (; caught !== undefined; caught = caught.before) {
      if (!isLimit(caught.thrown)) continue;
      onLimit(caught.thrown);
      throw caught.thrown;
    }
  };
  pinErrors();
  pinMemory(onLimit);
  pinDates();
  pinBuiltins();
  addEmptyTraces();
  Object.defineProperty(globalThis, CAUGHT, { value: check });
  return () => {
    try {
      check();
    } catch (error) {
      if (!isLimit(error)) throw error;
    }
  };
}
