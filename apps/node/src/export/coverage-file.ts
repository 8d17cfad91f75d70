import { MAX_COVERAGE_BYTES, type AuditPackageQuery } from '@cer/cer-core/logs';
import { dayAfter, dayOfTime } from '../coverage/days.js';
import { readCoverage, type CoverageDeps } from '../coverage/read-coverage.js';

/** Bounds of all days. */
const FIRST_DAY = '0000-01-01';
const NO_DAY = '9999-12-31';
const ROW_END = ',\n';
const KNOWN: ReadonlySet<string> = new Set(['attestedFrom', 'attestedTo', 'appId', 'bundleType', 'status']);

/**
 * The counts of the days that a query touches, as JSON text; null for a query by more than time and application, whose
 * records are only a part of what the counts have, and for more counts than a verifier reads.
 * @see docs/spec.md, "Coverage in a package"
 */
export async function coverageFile(
  deps: CoverageDeps,
  tenantId: string,
  query: AuditPackageQuery,
): Promise<string | null> {
  const { attestedFrom, attestedTo, appId, bundleType, status } = query;
  if (bundleType !== null || status !== null || !Object.keys(query).every((name) => KNOWN.has(name))) return null;
  const from = attestedFrom?.slice(0, 10) ?? null;
  const to = attestedTo === null ? null : lastDayBefore(attestedTo);
  const { isCounted, days } = await readCoverage(deps, {
    tenantId,
    from: from ?? FIRST_DAY,
    to: to === null || to >= NO_DAY ? NO_DAY : dayAfter(to),
    ...(appId !== null && { appId }),
  });
  // One row on each line.
  const head = `${JSON.stringify({ type: 'svc.coverage.v1', from, to, appId, isCounted, days: [] }).slice(0, -2)}\n`;
  const end = '\n]}\n';
  const rows: string[] = [];
  let size = Buffer.byteLength(head + end);
  for (const day of days) {
    const row = JSON.stringify(day);
    size += Buffer.byteLength(row) + ROW_END.length;
    // Of all counts at once, a text may be too long for a string.
    if (size > MAX_COVERAGE_BYTES) return null;
    rows.push(row);
  }
  return `${head}${rows.join(ROW_END)}${end}`;
}

/** The day of the last moment before an excluded time. */
function lastDayBefore(end: string): string {
  return end.startsWith(FIRST_DAY) ? FIRST_DAY : dayOfTime(Date.parse(end) - 1);
}
