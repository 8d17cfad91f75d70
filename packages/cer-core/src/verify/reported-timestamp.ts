import type { LayerOutcome } from './layer.js';
import type { TimestampCovers, TimestampFinding } from './timestamp-verifier.js';

/** The time object of reports. The members after `status` are present for a token with a valid signature. */
export interface ReportedTimestamp {
  readonly type: 'rfc3161' | 'node-issued';
  readonly status: 'verified' | 'invalid' | 'untrusted' | 'not-checked';
  readonly covers?: TimestampCovers;
  readonly provider?: string;
  readonly genTime?: string;
  /** Why an external timestamp is invalid. */
  readonly detail?: string;
}

/**
 * The time in a report: the best external timestamp, else the node's own time, else null.
 * @param receipt null when none could be read
 * @see docs/spec.md, "External timestamps"
 */
export function reportTimestamp(
  [best]: readonly TimestampFinding[],
  receipt: LayerOutcome | null,
): ReportedTimestamp | null {
  if (best !== undefined) {
    if (best.status === 'not-checked') return { type: 'rfc3161', status: best.status };
    if (best.status === 'invalid') return { type: 'rfc3161', status: best.status, detail: best.detail };
    const { status, covers, provider, genTime } = best;
    return { type: 'rfc3161', status, covers, provider, genTime };
  }
  if (receipt === null || receipt.status === 'SKIPPED') return null;
  return { type: 'node-issued', status: receipt.status === 'PASS' ? 'verified' : 'invalid' };
}
