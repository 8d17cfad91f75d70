import { platform } from '#client-platform';
import { processWide } from '../calls/process-wide.js';
import type { Scope } from '../platform/platform.js';

type Fetch = typeof globalThis.fetch;

/** The observers of this process, whose calls may be made by each other's fetch, or by their own. */
interface Observers {
  count: number;
  /** The global fetch before there was an observer, which leads to none of them. */
  readonly before: Fetch;
  /** True within the fetch of an observed call; null where asynchronous work inherits nothing, as in browsers. */
  readonly scope: Scope<true> | null;
}

const observers = processWide('observers', (): Observers => ({
  count: 0,
  before: globalThis.fetch,
  scope: platform.createScope(),
}));

/** Counts an observer. */
export function addObserver(): void {
  observers().count += 1;
}

/** Whether the running work makes a call that another observer certifies. */
export function isObserved(): boolean {
  return observers().scope?.current() === true;
}

/**
 * Makes an observed call, whose further fetches only pass through. The scope is entered only where the call may lead to an
 * observer: in Node.js before version 24 the first scope slows down every promise of the program, for good.
 * @param base the fetch that makes the call; null for the next middleware of an SDK, which is another observer's or none
 */
export function makeObserved<R>(base: Fetch | null, call: () => R): R {
  const { count, before, scope } = observers();
  const isLast = base === null ? count < 2 : base === before;
  return scope === null || isLast ? call() : scope.run(true, call);
}
