import { randomUUID } from 'node:crypto';
import { isJsonObject, member } from '@cer/canonical-json';
import { ENVELOPE_SPEC_VERSION } from '@cer/cer-core/attest';
import type { TimestampVerifier } from '@cer/cer-core/verify';
import { whileAttesting } from '../errors/refusals.js';
import type { NodeLog } from '../log/node-log.js';
import { recordLeaves } from '../records/record-leaves.js';
import { objectMember, parseStored, storedMeta } from '../records/stored-cer.js';
import type { Signing } from '../signing/signing.js';
import type { CertificateRecord, Store } from '../store/index.js';
import { attestedAnew } from './reattest-record.js';
import { storedFault } from './stored-faults.js';

export interface RecertifyDeps {
  readonly store: Pick<Store, 'records' | 'recordScan'>;
  readonly signing: Pick<Signing, 'attestorAt' | 'published'>;
  /** A receipt under a revoked key is valid when a timestamp token proves that it is older. */
  readonly timestamps?: TimestampVerifier | null;
  /** Null: no transparency log. */
  readonly log: NodeLog | null;
  readonly now: () => Date;
}

export interface Recertified {
  readonly certificateHash: string;
  readonly result: 'recertified' | 'unchanged' | 'failed';
  /** Null without a reason to report. */
  readonly reason: string | null;
}

/** Maximum retries when another writer changes the record between reading and writing it. */
const ATTEMPTS = 5;

/**
 * Attests one record again, unless its newest attestation has the active key and the current envelope.
 * @param isDryRun reports the outcome without writing
 * @see docs/spec.md, "Admin routes"
 */
export async function recertify(
  deps: RecertifyDeps,
  record: CertificateRecord,
  isDryRun: boolean,
): Promise<Recertified> {
  const { certificateHash, tenantId, kind } = record;
  const answer = (result: Recertified['result'], reason: string | null = null): Recertified => ({
    certificateHash,
    result,
    reason,
  });
  return whileAttesting(async () => {
    let asRead: CertificateRecord | null = record;
    for (let attempt = 0; attempt < ATTEMPTS && asRead !== null; attempt += 1) {
      const time = deps.now();
      const { keySet } = deps.signing.published();
      const { timestamps = null } = deps;
      const fault = await storedFault(asRead, { keySet, timestamps, verifiedAt: time.toISOString() });
      if (fault !== null) return answer('failed', fault);
      const attestor = await deps.signing.attestorAt(time);
      if (isCurrent(asRead, attestor.signer.kid)) return answer('unchanged');
      const facts = { attestationId: randomUUID(), attestedAt: time.toISOString() };
      const next = await attestedAnew(asRead, attestor, facts);
      // Content without a possible envelope would be signed again on every run.
      if (asRead.kid === next.kid && !hasEnvelope(asRead.metaJson) && !hasEnvelope(next.metaJson)) {
        return answer('unchanged');
      }
      const leaves = deps.log === null ? [] : recordLeaves('again', asRead, next);
      if (isDryRun || (await deps.store.records.replaceAttestation(asRead, next, leaves))) {
        return answer('recertified');
      }
      asRead = await deps.store.records.findOwnByHash(tenantId, certificateHash, kind);
    }
    return answer(
      'failed',
      asRead === null ? 'the record was deleted concurrently' : 'the record kept changing: try again',
    );
  });
}

/** Every record of a hash, across tenants; one failure makes the whole result `failed`. */
export async function recertifyHash(
  deps: RecertifyDeps,
  certificateHash: string,
  isDryRun: boolean,
): Promise<Recertified> {
  const results: Recertified[] = [];
  for (const { record } of await deps.store.recordScan.withHash(certificateHash)) {
    results.push(await recertify(deps, record, isDryRun));
  }
  return (
    results.find(({ result }) => result === 'failed') ??
    results.find(({ result }) => result === 'recertified') ??
    results[0] ?? { certificateHash, result: 'failed', reason: 'there is no such record' }
  );
}

/** The version of the envelope that a record has; null when it has none. */
export function envelopeVersionOf(record: CertificateRecord): string | null {
  const envelope = member(storedMeta(record), 'verificationEnvelope');
  const version = isJsonObject(envelope) ? member(envelope, 'specVersion') : undefined;
  return typeof version === 'string' ? version : null;
}

function isCurrent(record: CertificateRecord, activeKid: string): boolean {
  if (member(objectMember(storedMeta(record), 'attestation'), 'kid') !== activeKid) return false;
  const mayHaveEnvelope = record.kind === 'full' && record.bundleJson !== null;
  const version = envelopeVersionOf(record);
  return version === ENVELOPE_SPEC_VERSION || (version === null && !mayHaveEnvelope);
}

function hasEnvelope(metaJson: string): boolean {
  return isJsonObject(member(parseStored(metaJson), 'verificationEnvelope'));
}
