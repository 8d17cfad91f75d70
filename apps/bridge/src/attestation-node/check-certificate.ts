import { isJsonObject, member, pickPresent, type JsonObject } from '@cer/canonical-json';
import { isSha256Hash, type Sha256Hash } from '@cer/cer-core';
import { evaluateCer } from '@cer/cer-core/verify';
import { verifySignatureInPool } from '@cer/keys';
import type { NodeKeys } from './node-keys.js';

/** A certificate that may be reported, or the fault of what the node returned. */
export type CheckedCertificate =
  | { readonly ok: true; readonly certificateHash: Sha256Hash; readonly cer: JsonObject }
  | { readonly ok: false; readonly fault: string };

/** The sent members that the certificate must repeat. */
export interface SentExecution {
  /** Null when the node generates it. */
  readonly executionId: string | null;
}

/**
 * Checks what the node returned before it is reported as a certificate: hash and receipt, under the keys that the node
 * publishes, and that it describes the execution that was sent.
 * @param body the node's certify response
 * @throws ServiceError SERVICE_UNAVAILABLE when the node's keys are unavailable
 */
export async function checkCertificate(
  body: JsonObject,
  sent: SentExecution,
  keys: NodeKeys,
  now: () => Date,
): Promise<CheckedCertificate> {
  const cer = member(body, 'cer');
  const certificateHash = member(body, 'certificateHash');
  if (!isJsonObject(cer) || !isSha256Hash(certificateHash)) return bad('the answer holds no certificate');
  if (member(cer, 'certificateHash') !== certificateHash) return bad('the answer names another certificate');
  const snapshot = member(cer, 'snapshot');
  const executionId = isJsonObject(snapshot) ? member(snapshot, 'executionId') : undefined;
  if (sent.executionId !== null && executionId !== sent.executionId) return bad('it is about another execution');
  const keySet = await keys.keySetWith(kidOf(body));
  const evaluation = await evaluateCer(withoutEnvelope(cer), {
    keySet,
    verifiedAt: now().toISOString(),
    requireAttestation: true,
    // A batch is checked at once, and the event loop that reads and answers it is what bounds ingest.
    verifySignature: verifySignatureInPool,
  });
  return evaluation.status === 'FAILED' ? bad(evaluation.code) : { ok: true, certificateHash, cer };
}

/** The envelope repeats what hash and receipt prove; checking it as well would double the work of every ingest. */
function withoutEnvelope(cer: JsonObject): JsonObject {
  const meta = member(cer, 'meta');
  return isJsonObject(meta) ? { ...cer, meta: pickPresent(meta, ['attestation']) } : cer;
}

function kidOf(body: JsonObject): string | null {
  const kid = member(body, 'kid');
  return typeof kid === 'string' ? kid : null;
}

function bad(fault: string): CheckedCertificate {
  return { ok: false, fault };
}
