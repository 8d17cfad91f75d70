// Rounds of all cases are interleaved, so that a change of the machine's load affects all cases alike.

/** CPU seconds of this process, all threads. */
function cpuSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

export const clocks = {
  /** For synchronous and thread-pool work: also reliable on a busy machine. */
  cpu: cpuSeconds,
  /** For work that is meant to use several cores. */
  wall: () => performance.now() / 1000,
};

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/** A case of values that were measured one by one. */
export function caseOf(name, unit, values) {
  return {
    ...{ name, unit, median: median(values) },
    ...{ min: Math.min(...values), max: Math.max(...values), rounds: values.length },
  };
}

/**
 * Measures cases side by side.
 * @param {{name: string, unit?: string, run: () => unknown | Promise<unknown>, operations?: number}[]} cases
 *   `run` does `operations` (1 when left out) operations
 * @param {{rounds: number, secondsPerRound: number, clock?: () => number}} options odd number of rounds
 * @returns {Promise<{name, unit, median, min, max, rounds}[]>} operations per second
 */
export async function measure(cases, { rounds, secondsPerRound, clock = clocks.cpu }) {
  const rates = new Map(cases.map(({ name }) => [name, []]));
  const perRun = new Map();
  for (const testCase of cases) perRun.set(testCase.name, await warmUp(testCase, secondsPerRound, clock));
  for (let round = 0; round < rounds; round += 1) {
    for (const testCase of cases) {
      const runs = Math.max(1, Math.round(secondsPerRound / perRun.get(testCase.name)));
      const before = clock();
      for (let run = 0; run < runs; run += 1) await testCase.run();
      const seconds = clock() - before;
      rates.get(testCase.name).push((runs * (testCase.operations ?? 1)) / seconds);
    }
  }
  return cases.map(({ name, unit = 'ops/s' }) => caseOf(name, unit, rates.get(name)));
}

/** Share by which a period must be faster than the one before for the warm-up to continue. */
const STILL_FASTER = 0.03;

/** Periods without a faster one, before a case counts as compiled: between its tiers of code it is as fast for a while. */
const CALM_PERIODS = 4;

/** Runs a case, in periods, until it is compiled: until no period is faster than the best. @returns seconds per run */
async function warmUp(testCase, secondsPerRound, clock) {
  let best = Infinity;
  for (let calm = 0; calm < CALM_PERIODS;) {
    const perRun = await secondsPerRun(testCase, secondsPerRound / 2, clock);
    calm = perRun > best * (1 - STILL_FASTER) ? calm + 1 : 0;
    best = Math.min(perRun, best);
  }
  return best;
}

async function secondsPerRun({ run }, seconds, clock) {
  const before = clock();
  let runs = 0;
  do {
    await run();
    runs += 1;
  } while (clock() - before < seconds);
  return (clock() - before) / runs;
}

export function rateOf(cases, name) {
  const found = cases.find((testCase) => testCase.name === name);
  if (found === undefined) throw new Error(`no case ${name}`);
  return found.median;
}

/** A ratio with its goal; with `atMost` the goal is an upper bound. */
export function ratio(id, title, value, goal, { atMost = false } = {}) {
  return { id, title, value, goal, atMost, pass: atMost ? value <= goal : value >= goal };
}
