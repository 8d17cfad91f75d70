/** The global that `a ** b` of a sketch is written to call; a sketch that has the name in its text is refused. */
export const POWER = '__power';
