import { member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { CER_VERIFY_CODES, type CerVerifyCode } from '../errors.js';
import type { Finding } from '../finding.js';
import { evaluateCer } from '../verify/evaluate.js';
import type { Evaluation } from '../verify/evaluation.js';
import type { VerifyOptions } from '../verify/options.js';
import type { RegistryEntry } from './registry.js';
import { isPackage } from './structure.js';

/** Maximum steps verified concurrently: enough for the thread pool, few enough to stay responsive. */
const STEPS_AT_ONCE = 256;

export interface StepResult {
  readonly stepId: string;
  readonly sequence: number | null;
  readonly executionId: string | null;
  readonly certificateHash: string;
  readonly ok: boolean;
  readonly status: 'VERIFIED' | 'VERIFIED_CONFIDENTIAL' | 'FAILED' | 'WITHDRAWN';
  readonly code: CerVerifyCode;
  readonly findings: readonly Finding[];
  /** Passed, with a receipt that a node signed. */
  readonly isAttested: boolean;
}

export interface VerifyProjectOptions extends VerifyOptions {
  /** Called after each batch of steps; where it returns a promise, that is awaited, so a page can paint. */
  readonly onProgress?: (done: number, total: number) => void | Promise<void>;
}

/** Verifies each step by itself and against its registry entry. */
export async function verifySteps(
  bundles: JsonObject,
  entries: readonly RegistryEntry[],
  withdrawn: ReadonlySet<string>,
  isVouchedFor: boolean,
  options: VerifyProjectOptions,
): Promise<readonly StepResult[]> {
  const results: StepResult[] = [];
  const judging: Judging = { withdrawn, isVouchedFor, options };
  for (let start = 0; start < entries.length; start += STEPS_AT_ONCE) {
    const batch = entries.slice(start, start + STEPS_AT_ONCE);
    results.push(
      ...(await Promise.all(batch.map((entry) => verifyStep(entry, member(bundles, entry.stepId), judging)))),
    );
    await options.onProgress?.(results.length, entries.length);
  }
  return results;
}

/** What all steps of a project are judged by. */
interface Judging {
  readonly withdrawn: ReadonlySet<string>;
  readonly isVouchedFor: boolean;
  readonly options: VerifyOptions;
}

async function verifyStep(
  entry: RegistryEntry,
  bundle: JsonValue | undefined,
  { withdrawn, isVouchedFor, options }: Judging,
): Promise<StepResult> {
  const { stepId, sequence, executionId, certificateHash } = entry;
  const base = { stepId, sequence, executionId, certificateHash };
  const failed = (finding: Finding): StepResult => ({
    ...base,
    ok: false,
    status: 'FAILED',
    code: finding.code,
    findings: [finding],
    isAttested: false,
  });
  if (entry.isRepeated) {
    const detail = 'is registered more than once: see the first entry for its faults';
    return failed({ code: 'STEP_REGISTRY_MISMATCH', member: stepId, detail });
  }
  if (bundle === undefined) {
    const isWithdrawn = withdrawn.has(stepId);
    const detail = isWithdrawn ? 'is left out, said to be withdrawn' : 'has no embedded bundle';
    const finding: Finding = { code: 'INCOMPLETE_ARTIFACT', member: stepId, detail };
    // An absent step cannot meet the caller's demands on each step.
    const isDemanded = options.requireAttestation === true || options.requireFullArtifact === true;
    return isWithdrawn && !isDemanded ? { ...failed(finding), status: 'WITHDRAWN' } : failed(finding);
  }
  if (isPackage(bundle)) {
    const detail = 'is a package, where the bundle itself is required';
    return failed({ code: 'STEP_REGISTRY_MISMATCH', member: stepId, detail });
  }
  const evaluation = await evaluateCer(bundle, options);
  const findings = [
    ...withIncomplete(evaluation.findings, incompleteFindings(evaluation, entry)),
    ...registryFindings(evaluation, entry, isVouchedFor),
  ];
  const isOk = findings.length === 0;
  return {
    ...base,
    ok: isOk,
    status: isOk ? evaluation.status : 'FAILED',
    code: findings[0]?.code ?? 'OK',
    findings,
    isAttested: isOk && evaluation.receipt.status === 'PASS',
  };
}

/**
 * A step is a certificate with its content: a hash alone is none, and a reseal is none either, unless it replaces the
 * registered certificate in a public form. Registration applies the same rule. @see docs/spec.md, "Project verification"
 */
function incompleteFindings({ isHashOnly, isResealed, certificateHash }: Evaluation, entry: RegistryEntry): Finding[] {
  const finding = (detail: string): Finding[] => [{ code: 'INCOMPLETE_ARTIFACT', member: 'bundleType', detail }];
  if (isHashOnly) return finding('is a hash alone: a step needs its whole certificate');
  const isRegistered = certificateHash === entry.certificateHash;
  return isResealed && isRegistered ? finding('is a redacted form: the registry must name the whole certificate') : [];
}

/** In the order of precedence of codes, and once where the caller demanded full artefacts too. */
function withIncomplete(findings: readonly Finding[], incomplete: readonly Finding[]): readonly Finding[] {
  if (findings.some(({ code }) => code === 'INCOMPLETE_ARTIFACT')) return findings;
  const rank = CER_VERIFY_CODES.indexOf('INCOMPLETE_ARTIFACT');
  const later = findings.findIndex(({ code }) => CER_VERIFY_CODES.indexOf(code) > rank);
  const at = later < 0 ? findings.length : later;
  return [...findings.slice(0, at), ...incomplete, ...findings.slice(at)];
}

/**
 * Checks that the verified bundle is the registered step. A reseal replaces a step only in a project with the node's
 * receipt, and only by its own signed receipt.
 */
function registryFindings(
  { isResealed, provenance, certificateHash }: Evaluation,
  entry: RegistryEntry,
  isVouchedFor: boolean,
): Finding[] {
  if (certificateHash === entry.certificateHash) return [];
  const isProven = provenance?.state === 'proven' && provenance.originalCertificateHash === entry.certificateHash;
  if (isResealed && isVouchedFor && isProven) return [];
  const detail = isResealed
    ? 'is a reseal that is not proven to come from the registered step'
    : 'is another certificate than the registered one';
  return [{ code: 'STEP_REGISTRY_MISMATCH', member: entry.stepId, detail }];
}
