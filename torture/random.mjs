// A seeded source of choices, so that a run can be described by its seed. Interleavings are those of the machine.

/** @returns {() => number} numbers from 0 (included) to 1 (excluded) */
export function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One of the rows [weight, value]. */
export function weighted(random, rows) {
  let left = random() * rows.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, value] of rows) {
    left -= weight;
    if (left < 0) return value;
  }
  return rows.at(-1)[1];
}
