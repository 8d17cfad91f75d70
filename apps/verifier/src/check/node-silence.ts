/** Time for which a visitor's browser waits for the next bytes of an answer, in seconds. */
export const SILENCE_LIMIT_S = 30;
