// Whether a quantity stayed flat: its median in the last third compared with that in the first third, after warm-up.

/** Share of the samples in which services compile code and fill their caches. */
const WARM_UP = 0.2;

/** Largest growth of a flat quantity: a factor, and what is added to it. */
const BOUNDS = {
  memoryMib: { factor: 1.25, plus: 24 },
  descriptors: { factor: 1.1, plus: 12 },
  threads: { factor: 1, plus: 4 },
  walMib: { factor: 1.1, plus: 140 },
  latencyMs: { factor: 2, plus: 20 },
};

/**
 * @param {object[]} samples as `takeSample` makes them, with `latencyMs` by kind (a number, or null without requests)
 * @returns {{quantity: string, first: number | null, last: number | null, isFlat: boolean}[]}
 */
export function judge(samples) {
  const warm = samples.slice(Math.ceil(samples.length * WARM_UP));
  const third = Math.floor(warm.length / 3);
  const [first, last] = [warm.slice(0, third), warm.slice(warm.length - third)];
  return Object.entries(BOUNDS).flatMap(([name, bound]) =>
    linesOf(samples, name).map(({ quantity, read }) => {
      const [before, after] = [median(first.map(read)), median(last.map(read))];
      const isFlat = before !== null && after !== null && after <= before * bound.factor + bound.plus;
      return { quantity, first: before, last: after, isFlat };
    }),
  );
}

/** One line per service or kind of request; a plain number is one line. */
export function linesOf(samples, name) {
  const last = samples.at(-1)?.[name];
  if (typeof last !== 'object' || last === null) return [{ quantity: name, read: (sample) => sample[name] }];
  return Object.keys(last).map((part) => ({
    quantity: `${name} ${part}`,
    read: (sample) => sample[name]?.[part] ?? null,
  }));
}

/** The median of the numbers among the values; null without any. */
export function median(values) {
  return quantile(values, 0.5);
}

/** @param share 0.99 for the value that 99 % of the numbers do not exceed; null without any */
export function quantile(values, share) {
  const sorted = values.filter((value) => typeof value === 'number').sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? null;
}
