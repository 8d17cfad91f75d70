import { member, type JsonObject } from '@cer/canonical-json';
import { sha256, type Sha256Hash } from '../hash.js';
import { conclude, type BesideLayers } from './conclude.js';
import { checkEnvelope } from './envelope.js';
import type { Evaluation } from './evaluation.js';
import type { Evidence } from './evidence.js';
import { checkIntegrity, type Integrity } from './integrity.js';
import { isAfter } from './key-choice.js';
import { PASS } from './layer.js';
import type { VerifyOptions } from './options.js';
import { checkReceipt } from './receipt.js';
import type { Trust } from './signature.js';
import type { Subject } from './subject.js';

// The label is unsigned, so by itself it loosens no check: the bundle is read as a reseal only if a valid receipt names
// this exact hash, and the context may be unhashed only if the key's entry says so.
export async function evaluateOlderReseal(
  read: Subject,
  evidence: Evidence,
  beside: BesideLayers,
  trust: Trust,
  options: VerifyOptions,
): Promise<Evaluation> {
  // A bundle that is intact as the type it states is not read as a reseal by its envelope, which is checked like any
  // other. Otherwise a label that any attacker can add would excuse a broken envelope.
  const isWhole = checkIntegrity(read).outcome.status === 'PASS';
  const asReseal = read.reading === null ? read : { ...read, reading: { ...read.reading, resealed: true } };
  const receipt = await checkReceipt(isWhole ? read : asReseal, evidence, beside.timestamps, trust);
  const isVouchedFor = receipt.outcome.status === 'PASS';
  const subject = isVouchedFor ? asReseal : read;
  const integrity = checkIntegrity(subject);
  const envelope = await checkEnvelope(isWhole ? read : subject, evidence, beside.timestamps, integrity.hashed, trust);
  const mayExcludeContext =
    isVouchedFor &&
    isAfter(receipt.keyEntry?.contextUnprotectedBefore, receipt.receipt?.timestamp) &&
    isOnlyHashMismatch(integrity);
  if (!mayExcludeContext || hashWithoutContext(subject) !== member(subject.bundle, 'certificateHash')) {
    return conclude(subject, evidence, integrity, receipt, envelope, beside, options);
  }
  const relaxed: Subject = {
    ...subject,
    bundle: withoutContext(subject.bundle),
    reading: subject.reading && { ...subject.reading, relaxations: ['context-excluded'] },
  };
  const relaxedIntegrity: Integrity = {
    ...integrity,
    outcome: PASS,
    computedCertificateHash: hashWithoutContext(subject),
  };
  return conclude(relaxed, evidence, relaxedIntegrity, receipt, envelope, beside, options);
}

function isOnlyHashMismatch({ outcome }: Integrity): boolean {
  return outcome.status === 'FAIL' && outcome.findings.every(({ code }) => code === 'CERTIFICATE_HASH_MISMATCH');
}

function hashWithoutContext({ bundle, reading, protocol }: Subject): Sha256Hash | null {
  if (reading?.layout == null || protocol === null) return null;
  return sha256(protocol.profile.canonicalize(reading.layout.projectForHash(withoutContext(bundle))));
}

/** Unprotected members are not shown. */
function withoutContext(bundle: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(bundle).filter(([name]) => name !== 'context'));
}
