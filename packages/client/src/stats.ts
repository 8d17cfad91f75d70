import type { Outcome } from './outcome.js';

/** Counts since the start of the process. `seen` is the sum of the next five. */
export interface Stats {
  /** Calls of models that were made. */
  readonly seen: number;
  /** Under way. */
  readonly open: number;
  /** Sealed and stored, and how the calls ended. */
  readonly sealed: number;
  /** Left out by the option `certify`. */
  readonly skipped: number;
  /** Not sealed: a body that cannot be read, content that no protocol takes, or a fault. */
  readonly unsealed: number;
  /** Sealed, but the spool was full. */
  readonly dropped: number;
  readonly outcomes: Readonly<Record<Outcome, number>>;
  /** Sealed bundles that wait for a node, with those of earlier processes. */
  readonly waiting: number;
  readonly waitingBytes: number;
  /** Milliseconds since the oldest of them was sealed; null when none waits. */
  readonly oldestMs: number | null;
  readonly attested: number;
  /** Projects that a node registered. */
  readonly projects: number;
  /** Refused by the node for good. */
  readonly dead: number;
  /** Lines of the spool that a crash cut off, or that were changed or can no longer be read. */
  readonly torn: number;
  /** Segments of ended processes that this one took over. */
  readonly adopted: number;
  /** Faults of the observer, each also given to `onError`. */
  readonly errors: number;
}

type Count =
  | 'seen'
  | 'open'
  | 'sealed'
  | 'skipped'
  | 'unsealed'
  | 'dropped'
  | 'attested'
  | 'projects'
  | 'dead'
  | 'errors';

/** Mutable counts. */
export interface Counts extends Record<Count, number> {
  readonly outcomes: Record<Outcome, number>;
}

export function newCounts(): Counts {
  const outcomes = { complete: 0, aborted: 0, failed: 0, truncated: 0 };
  return {
    seen: 0,
    open: 0,
    sealed: 0,
    skipped: 0,
    unsealed: 0,
    dropped: 0,
    attested: 0,
    projects: 0,
    dead: 0,
    errors: 0,
    outcomes,
  };
}
