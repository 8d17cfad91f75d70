import type { NodeError } from '../node-api/node-error.js';
import { sealedHash, type Batch, type Spool } from './spool.js';

/** A bundle that the node could not attest now. */
export interface Held {
  readonly text: string;
  /** Its place in the batch, from 0. */
  readonly at: number;
  readonly fault: NodeError;
}

/** A batch and the spool that it is of. */
interface Place {
  readonly spool: Spool;
  readonly batch: Batch;
}

/** Bundles that were moved to the end of their spool, so that those behind them are sent. */
export interface Postponed {
  /**
   * Forgets the first `count` bundles of a batch. Those held among them are stored again first.
   * @throws Error when one cannot be stored: it and those behind it stay where they are
   */
  acknowledge(place: Place, held: readonly Held[], count: number): void;
  /** Moves a bundle that breaks each request that has it, the first of its batch, and notes that it is sent alone. */
  setApart(place: Place, one: Held): void;
  /** Moves such a bundle again. @throws Error when it cannot be stored: it stays where it is */
  moveApart(place: Place, text: string): void;
  /** Whether a bundle breaks each request that has it. */
  isApart(text: string): boolean;
  /** The node answered for a bundle, or it was given up. */
  delete(text: string): void;
  /** Whether a call of a project is among them. */
  hasCallOf(project: string): boolean;
}

/**
 * @param failed called once for each bundle that is postponed
 * @param last takes the bundles that their spool cannot store again, which the next process sends too
 */
export function createPostponed(failed: (error: unknown) => void, last: Spool | undefined): Postponed {
  const hashes = new Set<string>();
  const apart = new Set<string>();
  const note = ({ text, fault }: Held): void => {
    const hash = sealedHash(text);
    if (hash === null || hashes.has(hash)) return;
    hashes.add(hash);
    failed(new Error(`the bundle ${hash} is sent again behind the others`, { cause: fault }));
  };
  const putBehind = ({ spool, batch }: Place, text: string): void => {
    try {
      spool.put(text);
    } catch (error) {
      if (last === undefined || last === spool) throw error;
      last.put(text);
      batch.keep();
      failed(error);
    }
  };
  const moveApart: Postponed['moveApart'] = (place, text) => {
    putBehind(place, text);
    place.batch.acknowledge(1);
  };
  return {
    acknowledge: (place, held, count) => {
      let kept = count;
      try {
        for (const one of held.filter(({ at }) => at < count)) {
          kept = one.at;
          putBehind(place, one.text);
          kept = count;
          note(one);
        }
      } finally {
        if (kept > 0) place.batch.acknowledge(kept);
      }
    },
    setApart: (place, one) => {
      apart.add(one.text);
      if (place.spool.waiting > 1) moveApart(place, one.text);
      note(one);
    },
    moveApart,
    isApart: (text) => apart.has(text),
    delete: (text) => {
      apart.delete(text);
      if (hashes.size === 0) return;
      hashes.delete(sealedHash(text) ?? '');
    },
    hasCallOf: (project) => {
      const own = sealedHash(project);
      return [...hashes].some((hash) => hash !== own && project.includes(hash));
    },
  };
}
