import type { LayerOutcome } from './layer.js';
import type { TimestampCovers, TimestampFinding } from './timestamp-verifier.js';

/** The time object of reports. The members after `status` are there for a token whose signature holds. */
export interface ReportedTimestamp {
  readonly type: 'rfc3161' | 'node-issued';
  readonly status: 'verified' | 'invalid' | 'untrusted';
  readonly covers?: TimestampCovers;
  readonly provider?: string;
  readonly genTime?: string;
  /** Why an external timestamp is invalid. */
  readonly detail?: string;
}

/**
 * What a report says of time: the best external timestamp, else that the node says so, else nothing.
 * @param receipt null when there is none that could be read
 * @see docs/spec.md, "External timestamps"
 */
export function reportTimestamp(
  [best]: readonly TimestampFinding[],
  receipt: LayerOutcome | null,
): ReportedTimestamp | null {
  if (best !== undefined) {
    if (best.status === 'invalid') return { type: 'rfc3161', status: best.status, detail: best.detail };
    const { status, covers, provider, genTime } = best;
    return { type: 'rfc3161', status, covers, provider, genTime };
  }
  if (receipt === null || receipt.status === 'SKIPPED') return null;
  return { type: 'node-issued', status: receipt.status === 'PASS' ? 'verified' : 'invalid' };
}
