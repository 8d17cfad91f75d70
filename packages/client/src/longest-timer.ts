/** The longest time of a timer, 24.8 days in milliseconds: a timer with a longer one ends at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;
