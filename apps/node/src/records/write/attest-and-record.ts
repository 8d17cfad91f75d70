import { randomUUID } from 'node:crypto';
import { isJsonObject, member, pickPresent, type JsonObject, type JsonValue } from '@cer/canonical-json';
import type { Layout, Protocol } from '@cer/cer-core';
import {
  attestBundle,
  resealForPublication,
  withheldPaths,
  type PublishSettings,
  type SealedBundle,
} from '@cer/cer-core/attest';
import type { PlanLimits } from '../../auth/key-directory.js';
import { whileAttesting } from '../../errors/refusals.js';
import type { Signing } from '../../signing/signing.js';
import type { NewRecord, RecordOutcome } from '../../store/index.js';
import { appIdOf, metaOf } from '../stored-cer.js';
import { recordExecution, type RecordDeps } from './record-execution.js';

export interface AttestDeps extends RecordDeps {
  readonly signing: Pick<Signing, 'attestorAt'>;
  readonly now: () => Date;
}

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
  readonly outcome: RecordOutcome;
}

/**
 * Signs, then stores: a crash in between leaves an unused signature, never an unsigned record. Resolves when the record
 * is durable, or when a record with the same executionId exists.
 */
export async function attestAndRecord(deps: AttestDeps, submission: Submission): Promise<Attested> {
  return whileAttesting(async () => {
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
    const kept = hashedBundle(sealed.bundle, layout);
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
      attestationId: facts.attestationId,
      attestedAt: facts.attestedAt,
      kid: attestor.signer.kid,
      requestId: submission.requestId,
      bundleJson: isForeign && reseal !== null ? null : JSON.stringify(kept),
      metaJson: JSON.stringify(meta),
      publicCerJson: publicCer === null ? null : JSON.stringify(publicCer),
      resealedCertificateHash: reseal?.certificateHash ?? null,
      createdAt: submission.createdAt,
      timestamp: submission.timestamp,
      commitmentSecretId: submission.commitmentSecretId,
    };
    return { meta, outcome: await recordExecution(deps, record, submission.limits) };
  });
}

/** The members covered by the hash, and the hash: no other part of a bundle is stored or returned. */
export function hashedBundle(bundle: JsonObject, layout: Layout): JsonObject {
  return { ...layout.projectForHash(bundle), ...pickPresent(bundle, ['certificateHash']) };
}

/** The public form of a bundle without withheld values: without envelope, declaration and unknown members. */
export function publicForm(hashed: JsonObject, meta: JsonObject, metadata: JsonObject | null): JsonObject {
  return {
    ...hashed,
    meta: { ...pickPresent(meta, ['attestation', 'timestamps']), ...(metadata !== null && { metadata }) },
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
