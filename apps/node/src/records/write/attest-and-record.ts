import { randomUUID } from 'node:crypto';
import { isJsonObject, member, pickPresent, type JsonObject, type JsonValue } from '@cer/canonical-json';
import type { Layout, Protocol } from '@cer/cer-core';
import {
  attestBundle,
  resealForPublication,
  withheldPaths,
  type AttestationFacts,
  type AttestationMeta,
  type PublishSettings,
  type SealedBundle,
} from '@cer/cer-core/attest';
import type { PlanLimits } from '@cer/control-plane';
import { ServiceError } from '@cer/http-service';
import { whileAttesting } from '../../errors/refusals.js';
import type { Signing } from '../../signing/signing.js';
import type { NewLeaf, NewRecord, RecordOutcome } from '../../store/index.js';
import { newLeaf, signedPart } from '../../log/new-leaf.js';
import type { NodeLog } from '../../log/node-log.js';
import type { StoredTexts } from '../certify-response.js';
import { appIdOf, earlierAttestations, metaOf, executionFacts, objectMember } from '../stored-cer.js';
import { recordExecution, type RecordDeps } from './record-execution.js';

export interface AttestDeps extends RecordDeps {
  readonly signing: Pick<Signing, 'attestorAt'>;
  /** Null: no transparency log. */
  readonly log: Pick<NodeLog, 'proofs'> | null;
  readonly now: () => Date;
  /** Maximum body of verification without a key: a certificate that it cannot take is not made. */
  readonly verifyLimitBytes: number;
}

/** Room for what an answer and `{bundle}` add to a certificate: receipt, envelope, attestation, openings. */
const ANSWER_BYTES = 16 * 1024;

/** A sealed bundle to attest and record under its executionId. */
export interface Submission {
  readonly sealed: SealedBundle;
  readonly layout: Layout;
  readonly protocol: Protocol;
  readonly tenantId: string;
  readonly executionId: string;
  readonly createdAt: string;
  readonly timestamp: string;
  readonly commitmentSecretId: string | null;
  readonly metadata: JsonValue | undefined;
  readonly publish: PublishSettings;
  readonly limits: PlanLimits | undefined;
  /** True for a bundle sealed elsewhere: members that may not be published are then not stored either. */
  readonly isForeign: boolean;
  readonly requestId: string;
}

export interface Attested {
  readonly meta: JsonObject;
  /** The texts of the stored record, for the answer. */
  readonly texts: StoredTexts;
  readonly outcome: RecordOutcome;
}

/**
 * Signs, then stores: a crash in between leaves an unused signature, never an unsigned record. Resolves when the record
 * is durable, or when a record with the same executionId exists.
 * @throws ServiceError PAYLOAD_TOO_LARGE for a certificate that verification without a key would not take
 */
export async function attestAndRecord(deps: AttestDeps, submission: Submission): Promise<Attested> {
  const { sealed, layout, metadata } = submission;
  const kept = hashedBundle(sealed.bundle, layout);
  const keptJson = JSON.stringify(kept);
  assertVerifiable(keptJson, metadata, deps.verifyLimitBytes);
  return whileAttesting(async () => {
    const { record, meta } = await signedRecord(deps, submission, kept, keptJson);
    const texts = { bundle: hasMembersOf(sealed.bundle, kept) ? keptJson : null, meta: record.metaJson };
    return { meta, texts, outcome: await recordExecution(deps, record, submission.limits) };
  });
}

interface SignedRecord {
  readonly record: NewRecord;
  readonly meta: JsonObject;
}

async function signedRecord(
  deps: AttestDeps,
  submission: Submission,
  kept: JsonObject,
  keptJson: string,
): Promise<SignedRecord> {
  const arrived = deps.records.expectRecord();
  try {
    return await sign(deps, submission, kept, keptJson);
  } finally {
    arrived();
  }
}

async function sign(
  deps: AttestDeps,
  submission: Submission,
  kept: JsonObject,
  keptJson: string,
): Promise<SignedRecord> {
  const { sealed, layout, protocol, metadata, publish, isForeign } = submission;
  const time = deps.now();
  // Read once, so that kid, receipt, envelope and reseal use one key even during a rotation.
  const attestor = await deps.signing.attestorAt(time);
  const facts = { attestationId: randomUUID(), attestedAt: time.toISOString() };
  const attestation = await attestBundle(sealed, attestor, facts);
  const meta = metaOf(attestation, metadata);
  const withheld = withheldPaths(sealed.bundle, layout, publish);
  const reseal =
    withheld.length === 0
      ? null
      : await resealForPublication({ ...sealed, layout, protocol, meta: attestation }, withheld, attestor, facts);
  const metaJson = JSON.stringify(meta);
  const publicMetadata = publishedMetadata(metadata, publish);
  const publicCer =
    reseal !== null
      ? withMetadata(reseal.bundle, publicMetadata)
      : metadata === undefined
        ? null
        : publicForm(kept, meta, publicMetadata);
  const record: NewRecord = {
    tenantId: submission.tenantId,
    certificateHash: sealed.certificateHash,
    kind: 'full',
    executionId: submission.executionId,
    bundleType: bundleTypeOf(sealed.bundle),
    protocolVersion: protocol.version,
    appId: appIdOf(sealed.bundle),
    ...executionFacts(sealed.bundle),
    attestationId: facts.attestationId,
    attestedAt: facts.attestedAt,
    kid: attestor.signer.kid,
    requestId: submission.requestId,
    bundleJson: isForeign && reseal !== null ? null : keptJson,
    metaJson,
    publicCerJson: publicCer === null ? null : JSON.stringify(publicCer),
    resealedCertificateHash: reseal?.certificateHash ?? null,
    createdAt: submission.createdAt,
    timestamp: submission.timestamp,
    commitmentSecretId: submission.commitmentSecretId,
    ...(deps.log !== null && { leaves: leavesOf(sealed.bundle, attestation, reseal?.bundle ?? null, facts) }),
  };
  return { record, meta };
}

/** Canonical numbers may be longer than those of the request: `1e20` has 21 digits. */
function assertVerifiable(keptJson: string, metadata: JsonValue | undefined, limitBytes: number): void {
  const bytes =
    Buffer.byteLength(keptJson) + (metadata === undefined ? 0 : Buffer.byteLength(JSON.stringify(metadata)));
  if (bytes + ANSWER_BYTES <= limitBytes) return;
  throw new ServiceError({
    code: 'PAYLOAD_TOO_LARGE',
    message: `the certificate would be larger than verification takes (${limitBytes} bytes): send less beside input and output`,
  });
}

/** One leaf for each signed receipt. */
function leavesOf(
  bundle: JsonObject,
  { attestation }: AttestationMeta,
  reseal: JsonObject | null,
  { attestedAt: at }: AttestationFacts,
): readonly NewLeaf[] {
  const factsOf = (of: JsonObject) => ({ at, appId: appIdOf(of), bundleType: bundleTypeOf(of) });
  const leaf = newLeaf('record', { kind: 'certificate', ...factsOf(bundle) }, signedPart(attestation));
  if (reseal === null) return [leaf];
  const signed = signedPart(objectMember(objectMember(reseal, 'meta'), 'attestation'));
  return [leaf, newLeaf('reseal', { kind: 'reseal', ...factsOf(reseal) }, signed)];
}

/** The members covered by the hash, and the hash: no other part of a bundle is stored or returned. */
export function hashedBundle(bundle: JsonObject, layout: Layout): JsonObject {
  return { ...layout.projectForHash(bundle), ...pickPresent(bundle, ['certificateHash']) };
}

/** Do both have the same members in the same order? The values are then the same ones. */
function hasMembersOf(bundle: JsonObject, kept: JsonObject): boolean {
  const names = Object.keys(kept);
  const given = Object.keys(bundle);
  return given.length === names.length && given.every((name, index) => name === names[index]);
}

/** The public form of a bundle without withheld values: without envelope, declaration and unknown members. */
export function publicForm(hashed: JsonObject, meta: JsonObject, metadata: JsonObject | null): JsonObject {
  return {
    ...hashed,
    meta: {
      ...pickPresent(meta, ['attestation', 'timestamps']),
      ...earlierAttestations(meta),
      ...(metadata !== null && { metadata }),
    },
  };
}

function withMetadata(bundle: JsonObject, metadata: JsonObject | null): JsonObject {
  const meta = member(bundle, 'meta');
  return metadata === null || !isJsonObject(meta) ? bundle : { ...bundle, meta: { ...meta, metadata } };
}

/** The unhashed metadata of the producer that the tenant publishes. */
function publishedMetadata(
  metadata: JsonValue | undefined,
  { metadata: published }: PublishSettings,
): JsonObject | null {
  if (!isJsonObject(metadata) || published === 'none') return null;
  return published === 'all' ? metadata : pickPresent(metadata, published);
}

function bundleTypeOf(bundle: JsonObject): string {
  const bundleType = member(bundle, 'bundleType');
  if (typeof bundleType !== 'string') throw new Error('a sealed bundle has a bundleType');
  return bundleType;
}
