import { randomUUID } from 'node:crypto';
import type { JsonObject, JsonValue } from '@cer/canonical-json';
import { HASH_ONLY } from '@cer/cer-core';
import { attestHashOnly } from '@cer/cer-core/attest';
import type { Caller } from '../auth/key-directory.js';
import { whileAttesting } from '../errors/refusals.js';
import { attestAndRecord, type AttestDeps } from '../records/write/attest-and-record.js';
import { recordExecution } from '../records/write/record-execution.js';
import { certifyResponse, certifyResponseText, type StoredTexts } from '../records/certify-response.js';
import { recordRemoved, recordToReplay } from '../records/write/mutation.js';
import { newLeaf, signedPart } from '../log/new-leaf.js';
import { metaOf, objectMember, storedMeta, textMember } from '../records/stored-cer.js';
import type { CertificateRecord, NewRecord } from '../store/index.js';
import { checkSubmission, type AttestableBundle } from './check-submission.js';

export interface AttestUseCaseDeps extends AttestDeps {
  readonly verifyUrl: string;
}

export interface AttestedSubmission {
  /** The body as JSON. */
  readonly json: string;
  readonly certificateHash: string;
  readonly isReplay: boolean;
}

/**
 * Attests a bundle that was sealed elsewhere. Its hash is checked, never computed or replaced; raw values in it are
 * checked and dropped.
 * @see docs/spec.md, "POST /api/attest"
 */
export async function attest(
  deps: AttestUseCaseDeps,
  body: JsonValue,
  caller: Caller,
  requestId: string,
): Promise<AttestedSubmission> {
  const submission = checkSubmission(body);
  return submission.kind === 'hash-only'
    ? attestHash(deps, submission, caller, requestId)
    : attestFull(deps, submission, caller, requestId);
}

async function attestFull(
  deps: AttestUseCaseDeps,
  submission: Extract<AttestableBundle, { kind: 'full' }>,
  caller: Caller,
  requestId: string,
): Promise<AttestedSubmission> {
  const { sealed, protocol } = submission;
  const { meta, texts, outcome } = await attestAndRecord(deps, {
    ...submission,
    tenantId: caller.tenantId,
    commitmentSecretId: null,
    metadata: undefined,
    // A raw prompt under a plain protocol is raw content, whatever prompts the tenant publishes under the confidential
    // one.
    publish: protocol.sealing === 'plain' ? { ...caller.publish, prompt: false } : caller.publish,
    limits: caller.limits,
    isForeign: true,
    requestId,
  });
  if (outcome.recorded) return firstAnswer(deps, sealed.bundle, meta, texts, requestId);
  if (outcome.existing === null) throw new Error('a full record was taken for a hash-only one');
  const record = recordToReplay(outcome.existing, outcome.record, sealed.certificateHash);
  return replay(deps, sealed.bundle, record);
}

async function attestHash(
  deps: AttestUseCaseDeps,
  { bundle, certificateHash }: Extract<AttestableBundle, { kind: 'hash-only' }>,
  caller: Caller,
  requestId: string,
): Promise<AttestedSubmission> {
  const { meta, metaJson, outcome } = await whileAttesting(async () => {
    const time = deps.now();
    const attestor = await deps.signing.attestorAt(time);
    const facts = { attestationId: randomUUID(), attestedAt: time.toISOString() };
    const made = metaOf(await attestHashOnly(certificateHash, attestor, facts), undefined);
    const record: NewRecord = {
      tenantId: caller.tenantId,
      certificateHash,
      kind: 'hash-only',
      executionId: null,
      bundleType: HASH_ONLY,
      protocolVersion: null,
      appId: null,
      provider: null,
      model: null,
      reviewedHash: null,
      attestationId: facts.attestationId,
      attestedAt: facts.attestedAt,
      kid: attestor.signer.kid,
      requestId,
      bundleJson: JSON.stringify({
        bundleType: HASH_ONLY,
        version: '0.1',
        createdAt: null,
        snapshot: null,
        certificateHash,
      }),
      metaJson: JSON.stringify(made),
      publicCerJson: null,
      resealedCertificateHash: null,
      createdAt: facts.attestedAt,
      timestamp: facts.attestedAt,
      commitmentSecretId: null,
      ...(deps.log !== null && {
        leaves: [
          newLeaf(
            'record',
            { kind: 'hash-only', at: facts.attestedAt, appId: null, bundleType: HASH_ONLY },
            signedPart(objectMember(made, 'attestation')),
          ),
        ],
      }),
    };
    return { meta: made, metaJson: record.metaJson, outcome: await recordExecution(deps, record, caller.limits) };
  });
  if (outcome.recorded) return firstAnswer(deps, bundle, meta, { bundle: null, meta: metaJson }, requestId);
  if (outcome.record === null) throw recordRemoved();
  return replay(deps, bundle, outcome.record);
}

function firstAnswer(
  { verifyUrl }: AttestUseCaseDeps,
  bundle: JsonObject,
  meta: JsonObject,
  texts: StoredTexts,
  requestId: string,
): AttestedSubmission {
  return {
    json: certifyResponseText({ bundle, meta, requestId, verifyUrl }, texts),
    certificateHash: attestedHash(meta),
    isReplay: false,
  };
}

function replay({ verifyUrl }: AttestUseCaseDeps, bundle: JsonObject, record: CertificateRecord): AttestedSubmission {
  const meta = storedMeta(record);
  const body = certifyResponse({ bundle, meta, requestId: record.requestId, verifyUrl });
  return { json: JSON.stringify(body), certificateHash: attestedHash(meta), isReplay: true };
}

function attestedHash(meta: JsonObject): string {
  return textMember(objectMember(meta, 'attestation'), 'certificateHash');
}
