import { Session, type Profiler } from 'node:inspector';
import { setFlagsFromString } from 'node:v8';
import { afterAll } from '@jest/globals';

// Counts of the engine: how often each function and each block of it ran. They are the same however busy a machine is.
// Functions that ran before this module was loaded are counted as one block: import it first.
const session = new Session();
session.connect();
// Code that the engine has optimized counts blocks, but no calls of functions, and when it is optimized depends on what
// else the machine does.
setFlagsFromString('--no-opt');
setFlagsFromString('--no-maglev');
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
// The end of any session ends the counting of all: one that is left to the garbage collector would end it in the middle
// of another suite of this process.
afterAll(() => {
  session.disconnect();
  // Maglev, which not every engine has on by default, stays off.
  setFlagsFromString('--opt');
});

/** Not counted: Node.js itself, and the test runner. */
const isCounted = (url: string): boolean =>
  /^(file:\/\/)?\//.test(url) && !/node_modules\/(@?jest|@swc|expect)/.test(url);

function take(): readonly Profiler.ScriptCoverage[] {
  let result: readonly Profiler.ScriptCoverage[] | undefined;
  session.post('Profiler.takePreciseCoverage', (error, taken) => {
    if (error !== null) throw error;
    result = taken.result;
  });
  if (result === undefined) throw new Error('the engine did not answer');
  return result;
}

/** How often functions and blocks of functions ran since the last call, including the services in this process. */
export function takeOperations(): number {
  let sum = 0;
  for (const { url, functions } of take()) {
    if (!isCounted(url)) continue;
    for (const { ranges } of functions) for (const { count } of ranges) sum += count;
  }
  return sum;
}

/** Work on an input that was made before. */
export type Work = () => unknown;

/**
 * Growth of the work for four times the input. The second run of each size is counted, after caches and lazy work.
 * @param prepare makes the input of a size, and what is counted
 */
export async function growth(
  size: number,
  prepare: (size: number) => Work | Promise<Work>,
): Promise<{ readonly small: number; readonly factor: number }> {
  const counts: number[] = [];
  for (const each of [size, 4 * size]) {
    const work = await prepare(each);
    await work();
    takeOperations();
    await work();
    counts.push(takeOperations());
  }
  const [small = 0, large = 0] = counts;
  return { small, factor: large / Math.max(1, small) };
}
