import { encodeHex, parseTimestamp, secondsSince1970 } from '@cer/keys';
import type { LeafLabel } from '../leaf/leaf.js';
import type { Opening } from '../leaf/opening.js';
import { CLOCK_TOLERANCE_S } from '../proof/log-verdict.js';
import type { OpenedLeaf } from './completeness.js';

/** A leaf of the range and what was signed under it, where the line says so. */
export interface RangeLeaf extends OpenedLeaf {
  readonly number: number;
  /** The signed content in the line itself: of a `reseal` or `project` its receipt, of a deletion its statement. */
  readonly shown: 'receipt' | 'deletion' | null;
}

/** The auditor's query, and the receipts in the package. */
export interface RangeQuestion {
  /** Whether a leaf with this label belongs to the question, by its time, app and type. */
  readonly isAsked: (label: LeafLabel) => boolean;
  /** Hex digests of the receipts that were handed over, earlier ones of renewed records included. */
  readonly digests: ReadonlySet<string>;
  /** When the log began, in seconds since 1970; null: not known. */
  readonly since: number | null;
  readonly mmdSeconds: number;
}

export type RangeFaultCode = 'LOG_RECORD_MISSING' | 'LOG_RANGE_INVALID' | 'LOG_BACKDATED';

export interface RangeFault {
  readonly number: number;
  readonly code: RangeFaultCode;
  readonly detail: string;
}

/** The content of a range. */
export interface RangeCount {
  readonly leaves: number;
  /** Leaves whose receipt was handed over. */
  readonly certificates: number;
  readonly deleted: number;
  /** Leaves that are outside the question, opened by their label alone. */
  readonly elsewhere: number;
  readonly faults: readonly RangeFault[];
  /** Hex digests that have their leaf. */
  readonly logged: ReadonlySet<string>;
}

/**
 * Checks the content of each leaf of a range. Their number and order are checked by `checkRange`.
 * @see docs/spec.md, "Completeness"
 */
export function countRange(leaves: readonly RangeLeaf[], question: RangeQuestion): RangeCount {
  const deletedNumbers = deletions(leaves);
  const faults: RangeFault[] = [];
  const logged = new Set<string>();
  const counts = { certificates: 0, deleted: 0, elsewhere: 0 };
  let latest = -Infinity;
  for (const leaf of leaves) {
    const { number, opening } = leaf;
    const fault = (code: RangeFaultCode, detail: string): void => void faults.push({ number, code, detail });
    const label = labelOf(opening);
    if (label !== null) {
      const time = parseTimestamp(label.at);
      if (time === null) fault('LOG_RANGE_INVALID', 'its time is not a time');
      else {
        const at = secondsSince1970(time);
        const isOld = question.since !== null && at < question.since;
        if (!isOld && at < latest - question.mmdSeconds - CLOCK_TOLERANCE_S) {
          fault('LOG_BACKDATED', 'is dated before a receipt that was logged earlier');
        }
        if (!isOld) latest = Math.max(latest, at);
      }
    }
    switch (opening.form) {
      case 'owner': {
        const { kind } = opening.label;
        const isShown = kind === 'deletion' ? leaf.shown === 'deletion' : leaf.shown === 'receipt';
        const digest = leaf.digest === null ? null : encodeHex(leaf.digest);
        if (kind === 'reseal' || kind === 'project' || kind === 'deletion') {
          if (!isShown) fault('LOG_RECORD_MISSING', 'the signed receipt of this number is missing');
        } else if (digest === null || !question.digests.has(digest)) {
          fault('LOG_RECORD_MISSING', 'the record of this number was not handed over');
        } else {
          counts.certificates++;
        }
        if (digest !== null) logged.add(digest);
        break;
      }
      case 'label':
        counts.elsewhere++;
        if (question.isAsked(opening.label)) {
          fault('LOG_RECORD_MISSING', 'belongs to the question by its label, and its record was not handed over');
        }
        break;
      case 'erased':
        counts.deleted++;
        if (!deletedNumbers.has(number)) fault('LOG_RECORD_MISSING', 'no logged deletion names this number');
        break;
      case 'public':
        fault('LOG_RANGE_INVALID', 'has an opening that shows no number');
    }
  }
  return { leaves: leaves.length, ...counts, faults, logged };
}

function labelOf(opening: Opening): LeafLabel | null {
  return opening.form === 'owner' || opening.form === 'label' ? opening.label : null;
}

/** The numbers that deletions name, which their owner's openings prove. There may be a deletion for each number. */
function deletions(leaves: readonly RangeLeaf[]): { has(number: number): boolean } {
  const ranges = leaves
    .flatMap(({ opening, shown }) =>
      opening.form === 'owner' && shown === 'deletion' ? (opening.label.deletes ?? []) : [],
    )
    .sort(([one], [other]) => one - other);
  // Ranges of several deletions may overlap.
  let furthest = 0;
  const joined = ranges.map(([first, last]) => ({ first, furthest: (furthest = Math.max(furthest, last)) }));
  return {
    has: (number) => {
      let [low, high] = [0, joined.length];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if ((joined[middle]?.first ?? Infinity) <= number) low = middle + 1;
        else high = middle;
      }
      return (joined[low - 1]?.furthest ?? -1) >= number;
    },
  };
}
