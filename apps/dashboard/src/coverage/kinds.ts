import type { CoverageDay } from '../records/node-records.js';

/** What became of calls; the chart stacks them in this order. */
export type Kind = 'complete' | 'aborted' | 'refused' | 'waiting' | 'skipped' | 'lost';

/** Numbers of calls by kind. */
export type KindCounts = Readonly<Record<Kind, number>>;

/** Each kind in words, and who counted it. */
export const KINDS: readonly { readonly kind: Kind; readonly label: string; readonly by: string }[] = [
  { kind: 'complete', label: 'Certified', by: 'node' },
  { kind: 'aborted', label: 'Certified, aborted', by: 'producers' },
  { kind: 'refused', label: 'Refused', by: 'node' },
  { kind: 'waiting', label: 'Waiting', by: 'producers' },
  { kind: 'skipped', label: 'Skipped by choice', by: 'producers' },
  { kind: 'lost', label: 'Not sealed', by: 'producers' },
];

export function kindsOf({ certified, refused, reported }: CoverageDay): KindCounts {
  const aborted = Math.min(certified, reported?.aborted ?? 0);
  return {
    complete: certified - aborted,
    aborted,
    refused,
    waiting: reported?.waiting ?? 0,
    skipped: reported?.skipped ?? 0,
    lost: (reported?.unsealed ?? 0) + (reported?.dropped ?? 0),
  };
}

const NONE: KindCounts = { complete: 0, aborted: 0, refused: 0, waiting: 0, skipped: 0, lost: 0 };

export function sumOf(counts: readonly KindCounts[]): KindCounts {
  return counts.reduce((sum, { complete, aborted, refused, waiting, skipped, lost }) => {
    return {
      complete: sum.complete + complete,
      aborted: sum.aborted + aborted,
      refused: sum.refused + refused,
      waiting: sum.waiting + waiting,
      skipped: sum.skipped + skipped,
      lost: sum.lost + lost,
    };
  }, NONE);
}
