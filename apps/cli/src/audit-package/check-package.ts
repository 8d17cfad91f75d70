import type { FailureCode } from '@cer/cer-core';
import type { AuditPackageManifest } from '@cer/cer-core/logs';
import type { LogPolicy } from '@cer/tlog';
import type { FileHandle } from 'node:fs/promises';
import type { BatchSettings } from '../batch/batch-settings.js';
import { verifyInOrder } from '../batch/verify-in-order.js';
import { EXIT } from '../exit-code.js';
import { readCoverage, type PackageCoverage } from './coverage.js';
import { checkLogCompleteness, NO_LOG, type LogCompleteness, type TenantHead } from './log-completeness.js';
import { PackageFindings, PackageRefused, type PackageFinding } from './package-finding.js';
import type { PackageLimits } from './package-limits.js';
import { QueryCheck } from './query-check.js';
import { checkManifest, compareNames, type PackageTrust } from './read-manifest.js';
import { lineReading, readOthers, recordChunks, type LineReading } from './record-lines.js';
import { openSoundZip } from './zip-structure.js';

type CheckStatus = 'PASS' | 'FAIL' | 'SKIPPED';

/** The result of checking a package. */
export interface PackageVerification {
  readonly status: 'VERIFIED' | 'FAILED';
  /** The first reason to fail; `OK` on success. */
  readonly code: PackageFinding['code'] | 'OK';
  /**
   * `complete`: the node signed that these are all records, and they are present; never true without a valid signature.
   * Whether each of them verifies is another matter: a complete package may fail.
   */
  readonly completeness: 'complete' | 'unknown';
  readonly checks: {
    /** The ZIP itself. */
    readonly form: CheckStatus;
    readonly manifestSignature: CheckStatus;
    /** Names, sizes and hashes of the entries against the manifest. */
    readonly entries: CheckStatus;
    readonly certificates: CheckStatus;
    /** Count, order and query against the manifest. */
    readonly records: CheckStatus;
  };
  readonly manifest: AuditPackageManifest | null;
  readonly records: { readonly total: number; readonly verified: number; readonly failed: number };
  /** The log's proof of completeness, independent of the node's own statement. */
  readonly log: LogCompleteness;
  /** Calls with and without a certificate, as node and producers counted them; null: not in the package. */
  readonly coverage: PackageCoverage | null;
  readonly findings: readonly PackageFinding[];
  /** Number of findings, including those not stored. */
  readonly findingCount: number;
}

export interface PackageCheck {
  readonly trust: PackageTrust;
  readonly limits: PackageLimits;
  /** Null: the log is not looked at. */
  readonly logPolicy: LogPolicy | null;
  /** Fails a package without a proof of the log. */
  readonly requireLog: boolean;
  /** The head of the tenant's tree that an earlier check accepted; the tree must extend it. */
  readonly tenantHead?: TenantHead;
  /** The settings that verify the certificates. */
  readonly settings: BatchSettings;
  /** Called before the first record with how many there should be, then with how many more were verified. */
  readonly onProgress: { readonly start: (total: number | null) => void; readonly advance: (records: number) => void };
}

/**
 * Verifies an audit package, reading it once, with little memory however large it is.
 * @see docs/spec.md, "Audit package"
 */
export async function checkPackage(file: FileHandle, check: PackageCheck): Promise<PackageVerification> {
  const findings = new PackageFindings();
  const counts = { total: 0, verified: 0, failed: 0 };
  let log = NO_LOG;
  let coverage: PackageCoverage | null = null;
  let manifest: AuditPackageManifest | null = null;
  let isSigned = false;
  let reached: 'form' | 'contents' | 'end' = 'form';
  try {
    const sound = await openSoundZip(file, check.limits);
    reached = 'contents';
    ({ manifest, isSigned } = await checkManifest(sound, check.trust, findings));
    if (manifest !== null) compareNames(sound, manifest, findings);
    const query = new QueryCheck(manifest, findings);
    const reading = lineReading(sound, manifest, findings, query, check.settings.maxBytes);
    check.onProgress.start(manifest?.count ?? null);
    await verifyRecords(reading, check, counts);
    await readOthers(reading);
    coverage = await readCoverage(reading);
    query.end();
    log = await checkLogCompleteness(reading, manifest, reading.receipts, check.logPolicy, check.tenantHead);
    if (check.requireLog && log.status === 'absent') {
      findings.add('LOG_PROOF_MISSING', '', 'has no proof of the log for its question');
    }
    reached = 'end';
  } catch (error) {
    if (!(error instanceof PackageRefused)) throw error;
    findings.add(error.finding.code, error.finding.entry, error.finding.detail);
  }
  const has = findings.has.bind(findings);
  const [first] = findings.stored;
  const compared = (fails: boolean): CheckStatus => {
    if (fails) return 'FAIL';
    return manifest === null || reached !== 'end' ? 'SKIPPED' : 'PASS';
  };
  return {
    status: first === undefined ? 'VERIFIED' : 'FAILED',
    code: first?.code ?? 'OK',
    completeness:
      isSigned && reached === 'end' && !findings.hasOtherThan('CERTIFICATE_FAILED') ? 'complete' : 'unknown',
    checks: {
      form: reached === 'form' || has('PACKAGE_MALFORMED', 'PACKAGE_TOO_LARGE') ? 'FAIL' : 'PASS',
      manifestSignature: isSigned ? 'PASS' : manifest === null ? 'SKIPPED' : 'FAIL',
      entries: compared(has('ENTRY_UNLISTED', 'ENTRY_MISSING', 'ENTRY_CHANGED', 'MANIFEST_INVALID')),
      certificates: counts.failed > 0 ? 'FAIL' : reached === 'end' ? 'PASS' : 'SKIPPED',
      records: compared(has('RECORDS_MISMATCH', 'COVERAGE_INVALID')),
    },
    manifest,
    records: counts,
    log,
    coverage,
    findings: findings.stored,
    findingCount: findings.count,
  };
}

async function verifyRecords(
  reading: LineReading,
  { settings, onProgress }: PackageCheck,
  counts: { total: number; verified: number; failed: number },
): Promise<void> {
  for await (const { results, progress } of verifyInOrder(recordChunks(reading), settings)) {
    for (const { name, exitCode, isAttested, report } of results) {
      counts.total += 1;
      if (exitCode === EXIT.verified && isAttested) {
        counts.verified += 1;
        continue;
      }
      counts.failed += 1;
      const [finding] = report?.findings ?? [];
      const code: FailureCode = finding?.code ?? 'UNKNOWN_ERROR';
      reading.findings.add(
        'CERTIFICATE_FAILED',
        name,
        `${code}: ${finding?.member ?? ''} ${finding?.detail ?? ''}`.trim(),
      );
    }
    onProgress.advance(progress);
  }
}
