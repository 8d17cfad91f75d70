import type { Coverage, CoverageDay } from '../records/node-records.js';
import type { UsageDay } from '../store/index.js';

/** The counts of the node, and of the evidence bridge what it refused before it asked the node. */
export interface BridgedCoverage extends Omit<Coverage, 'days'> {
  readonly days: readonly BridgedDay[];
}
export interface BridgedDay extends CoverageDay {
  readonly bridgeRefused: number;
}

/**
 * Adds the bridge's refusals, which name no application, to the rows without one.
 * @param usage of these days; empty: the bridge's refusals are not asked for
 */
export function withBridge(coverage: Coverage, usage: readonly UsageDay[]): BridgedCoverage {
  const { from, to } = coverage;
  const refused = new Map(
    usage
      .filter(({ kind, day }) => kind === 'refused' && day >= from && day <= to)
      .map(({ day, count }) => [day, count]),
  );
  const counted = new Set(coverage.days.filter(({ appId }) => appId === null).map(({ day }) => day));
  const more = [...refused.keys()].filter((day) => !counted.has(day)).map((day) => ({ ...NO_CALLS, day }));
  const days = [...coverage.days, ...more].map((row) => {
    return { ...row, bridgeRefused: row.appId === null ? (refused.get(row.day) ?? 0) : 0 };
  });
  return { ...coverage, days: days.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)) };
}

const NO_CALLS = { appId: null, certified: 0, reports: 0, refused: 0, refusals: {}, reported: null };

/** The order of the node: by day, then application, none first. */
function keyOf({ day, appId }: BridgedDay): string {
  return `${day} ${appId ?? ''}`;
}

/** Outcomes of calls; the chart stacks them in this order. */
export type Kind = 'complete' | 'aborted' | 'refused' | 'bridge' | 'waiting' | 'skipped' | 'lost';

/** Numbers of calls by kind. */
export type KindCounts = Readonly<Record<Kind, number>>;

/** Each kind in words, and who counted it. */
export const KINDS: readonly { readonly kind: Kind; readonly label: string; readonly by: string }[] = [
  { kind: 'complete', label: 'Certified', by: 'node' },
  { kind: 'aborted', label: 'Certified, aborted', by: 'producers' },
  { kind: 'refused', label: 'Refused', by: 'node' },
  { kind: 'bridge', label: 'Refused before the node', by: 'evidence bridge' },
  { kind: 'waiting', label: 'Waiting', by: 'producers' },
  { kind: 'skipped', label: 'Skipped by choice', by: 'producers' },
  { kind: 'lost', label: 'Not sealed', by: 'producers' },
];

export function kindsOf({ certified, refused, bridgeRefused, reported }: BridgedDay): KindCounts {
  const aborted = Math.min(certified, reported?.aborted ?? 0);
  return {
    complete: certified - aborted,
    aborted,
    refused,
    bridge: bridgeRefused,
    waiting: reported?.waiting ?? 0,
    skipped: reported?.skipped ?? 0,
    lost: (reported?.unsealed ?? 0) + (reported?.dropped ?? 0),
  };
}

const NONE: KindCounts = { complete: 0, aborted: 0, refused: 0, bridge: 0, waiting: 0, skipped: 0, lost: 0 };

export function sumOf(counts: readonly KindCounts[]): KindCounts {
  return counts.reduce((sum, { complete, aborted, refused, bridge, waiting, skipped, lost }) => {
    return {
      complete: sum.complete + complete,
      aborted: sum.aborted + aborted,
      refused: sum.refused + refused,
      bridge: sum.bridge + bridge,
      waiting: sum.waiting + waiting,
      skipped: sum.skipped + skipped,
      lost: sum.lost + lost,
    };
  }, NONE);
}
