import type { UsageKind } from '@cer/control-plane';
import type { UsageDay } from '../store/index.js';

export type Counts = Readonly<Record<UsageKind, number>>;

/** Counts summed by kind. */
export function countsOf(days: readonly UsageDay[]): Counts {
  const counts: Record<UsageKind, number> = { certify: 0, render: 0, register: 0, ingest: 0, refused: 0 };
  for (const { kind, count } of days) counts[kind] += count;
  return counts;
}

/** The figure that a plan's monthly limit bounds: all certificates. The node counts ingested executions as certify. */
export function executionsIn(counts: Counts): number {
  return counts.certify + counts.render;
}

/** Each day that has counts, in the order given. */
export function byDay(days: readonly UsageDay[]): readonly { readonly day: string; readonly counts: Counts }[] {
  const names = [...new Set(days.map(({ day }) => day))];
  return names.map((name) => ({ day: name, counts: countsOf(days.filter(({ day }) => day === name)) }));
}
