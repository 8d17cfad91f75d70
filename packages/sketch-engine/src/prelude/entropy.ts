import { refuse } from '../drawing/violation.js';

/**
 * Removes the clocks and the randomness of the language itself: `Math.random` draws from the seed, a date is only ever
 * one that the sketch names, and the memory of the machine cannot be watched.
 */
export function closeEntropy(scope: typeof globalThis, seed: number): void {
  scope.Math.random = mulberry32(seed);
  const NativeDate = scope.Date;
  const noClock = (): never => refuse('Date: a sketch has no clock; give the date');
  NativeDate.now = noClock;
  const SketchDate = new Proxy(NativeDate, {
    apply: noClock,
    construct: (target, args, newTarget) =>
      args.length === 0 ? noClock() : (Reflect.construct(target, args, newTarget) as Date),
  });
  Object.defineProperty(NativeDate.prototype, 'constructor', { value: SketchDate, writable: true, configurable: true });
  replace(scope, 'Date', SketchDate);

  const silent = Object.freeze(
    Object.fromEntries(
      [
        'log',
        'info',
        'warn',
        'error',
        'debug',
        'trace',
        'table',
        'dir',
        'assert',
        'group',
        'groupEnd',
        'time',
        'timeEnd',
        'count',
        'clear',
      ].map((name) => [name, () => undefined]),
    ),
  );
  // A flood of messages would starve the service that reads them.
  replace(scope, 'console', silent);
}

function replace(scope: typeof globalThis, name: string, value: unknown): void {
  Object.defineProperty(scope, name, { value, writable: true, configurable: true, enumerable: false });
}

/** The generator of `random()`, with a separate stream. */
function mulberry32(seed: number): () => number {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
