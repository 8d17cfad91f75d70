import { JsonError, parseJson } from '@cer/canonical-json';
import { MAX_COVERAGE_BYTES } from '@cer/cer-core/logs';
import * as z from 'zod';
import { wholeEntry } from './entry-content.js';
import type { PackageFindings } from './package-finding.js';
import type { LineReading } from './record-lines.js';

const NAME = 'coverage.json';

const count = z.int().min(0);
const day = z.iso.date();
const Reported = z.object({
  ...{ clients: count, unclosed: count, seen: count, sealed: count, aborted: count, failed: count, truncated: count },
  ...{ skipped: count, unsealed: count, dropped: count, dead: count, open: count, waiting: count },
});
const Row = z.object({
  day,
  appId: z.string().nullable(),
  certified: count,
  reports: count,
  refused: count,
  refusals: z.record(z.string().regex(/^[A-Z_]{1,64}$/), count),
  reported: Reported.nullable(),
});
const File = z.object({
  type: z.literal('svc.coverage.v1'),
  from: day.nullable(),
  to: day.nullable(),
  appId: z.string().nullable(),
  isCounted: z.boolean(),
  days: z.array(Row),
});

type Row = z.output<typeof Row>;

/** The sums of a package's coverage. */
export interface PackageCoverage {
  /** First and last day; null: without a bound. */
  readonly from: string | null;
  readonly to: string | null;
  /** Whether the node had counted every certificate. */
  readonly isCounted: boolean;
  readonly certified: number;
  readonly refused: number;
  /** By code. */
  readonly refusals: Readonly<Record<string, number>>;
  /** Counts that producers certified themselves, without `open`, `waiting` and clients; null without any. */
  readonly reported: Omit<z.output<typeof Reported>, 'clients' | 'unclosed' | 'open' | 'waiting'> | null;
}

/**
 * Reads the coverage of a package and compares it with the records, after these were read.
 * @returns null for a package without it, or with a malformed one, which is a finding
 * @see docs/spec.md, "Coverage in a package"
 */
export async function readCoverage(reading: LineReading): Promise<PackageCoverage | null> {
  const { zip, entries, findings, tally } = reading;
  const entry = entries.get(NAME);
  if (entry === undefined) return null;
  const file = parsed(await wholeEntry(zip, entry, MAX_COVERAGE_BYTES, findings), findings);
  if (file === null) return null;
  if (file.isCounted && !tally.fits(file.days)) {
    findings.add('COVERAGE_INVALID', NAME, 'counts fewer certificates than the package has');
  }
  return sums(file);
}

function parsed(bytes: Buffer, findings: PackageFindings): z.output<typeof File> | null {
  const refuse = (detail: string): null => {
    findings.add('COVERAGE_INVALID', NAME, detail);
    return null;
  };
  try {
    const file = File.safeParse(parseJson(bytes));
    if (file.success) return file.data;
    return refuse(`${file.error.issues[0]?.path.join('.') ?? ''}: is missing or malformed`);
  } catch (error) {
    if (error instanceof JsonError) return refuse('is not strict JSON');
    throw error;
  }
}

function sums({ from, to, isCounted, days }: z.output<typeof File>): PackageCoverage {
  const refusals: Record<string, number> = {};
  for (const row of days) {
    for (const [code, found] of Object.entries(row.refusals)) refusals[code] = (refusals[code] ?? 0) + found;
  }
  const sum = (of: (row: Row) => number): number => days.reduce((total, row) => total + of(row), 0);
  const reported = days.some((row) => row.reported !== null)
    ? {
        seen: sum((row) => row.reported?.seen ?? 0),
        sealed: sum((row) => row.reported?.sealed ?? 0),
        aborted: sum((row) => row.reported?.aborted ?? 0),
        failed: sum((row) => row.reported?.failed ?? 0),
        truncated: sum((row) => row.reported?.truncated ?? 0),
        skipped: sum((row) => row.reported?.skipped ?? 0),
        unsealed: sum((row) => row.reported?.unsealed ?? 0),
        dropped: sum((row) => row.reported?.dropped ?? 0),
        dead: sum((row) => row.reported?.dead ?? 0),
      }
    : null;
  return {
    ...{ from, to, isCounted, refusals, reported },
    certified: sum((row) => row.certified),
    refused: sum((row) => row.refused),
  };
}
