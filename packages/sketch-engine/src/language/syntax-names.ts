/** The global that `a ** b` of a sketch is written to call. */
export const POWER = '__power';

/** The global that every `catch` of a sketch calls first. */
export const CAUGHT = '__caught';

/** The name for the thrown value in a `catch` without a parameter. */
export const THROWN = '__thrown';

/**
 * The variable of the realm's scripts that keeps what was caught until the check has seen it. Assigning it needs no stack,
 * which a call may not have where a recursion ended; a sketch reaches it by no other name.
 */
export const CATCHES = '__catches';

/** A sketch that uses one of them is refused. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set([POWER, CAUGHT, THROWN, CATCHES]);
