import type { Finding } from '@cer/cer-core';
import { reviewOf } from '@cer/cer-core/review';
import { toProjectReport, toProjectVerifyResponse, toReport, type VerificationReport } from '@cer/cer-core/verify';
import type { KeyLookup, KeyVoucher } from '../trusted-keys/key-material.js';
import type { Verification } from '../verification.js';
import { VERIFIER } from '../version.js';
import { statedTimes } from './producer-statements.js';

/** The members of a report about the keys that were used. */
export interface KeyStatement {
  readonly nodeId: string | null;
  readonly from: string | null;
  /** Time at which the key file was last changed or the address was asked. */
  readonly date: string | null;
  readonly unavailable?: string;
  /** Set where a root vouches for the keys. */
  readonly voucher?: KeyVoucher;
}

export type JsonReport = VerificationReport & {
  /** The code that decided; `OK` on success. */
  readonly code: string;
  readonly findings: readonly Finding[];
  readonly keySet: KeyStatement | null;
};

/** The machine-readable report: the documented shape, and the further content of the readable one. */
export function toJsonReport(verification: Verification, keys: KeyLookup): JsonReport {
  const { evaluation } = verification;
  const known = { code: evaluation.code, findings: evaluation.findings, keySet: keyStatement(keys) };
  if (verification.kind === 'project') {
    const { projectHash, steps, nodeReceipt, timestamp, keyRescue } = toProjectVerifyResponse(verification.evaluation);
    const { registeredAt } = verification.evaluation;
    return {
      ...toProjectReport(verification.evaluation, VERIFIER),
      ...known,
      ...{ projectHashes: projectHash, steps, nodeReceipt, registeredAt, signed: verification.signer },
      ...(timestamp !== undefined && { timestamp }),
      ...(keyRescue !== undefined && { keyRescue }),
    };
  }
  const { signed, bundle, computedCertificateHash, integrity } = verification.evaluation;
  const review = bundle === null || integrity.status !== 'PASS' ? null : reviewOf(bundle);
  return {
    ...toReport(verification.evaluation, VERIFIER),
    ...known,
    ...{ computedCertificateHash, signed, statedByProducer: statedTimes(bundle) },
    ...(review !== null && { review }),
    ...(verification.picture !== undefined && { picture: verification.picture }),
  };
}

/** The content of stderr when a verification failed: the report, and the one reason that decided. */
export function toFailureReport(verification: Verification, keys: KeyLookup): JsonReport & { readonly reason: string } {
  const { code, findings } = verification.evaluation;
  const reason = findings.find((finding) => finding.code === code)?.reason ?? code;
  return { ...toJsonReport(verification, keys), reason };
}

/** The keys that a report relies on. */
export function keyStatement({ material, unavailable }: KeyLookup): KeyStatement | null {
  if (material !== null) {
    const { keySet, source, voucher } = material;
    const { from, date } = source;
    return { nodeId: keySet.nodeId, from, date, ...(voucher !== undefined && { voucher }) };
  }
  return unavailable === null ? null : { nodeId: null, from: null, date: null, unavailable };
}
