import {
  elementsOf,
  isJsonObject,
  isWellFormed,
  member,
  pickPresent,
  type JsonObject,
  type JsonValue,
} from '@cer/canonical-json';
import type { AttestationMeta } from '@cer/cer-core/attest';
import { reviewOf } from '@cer/cer-core/review';
import type { CertificateRecord, NewRecord } from '../store/index.js';

// The JSON columns of a record. The node wrote them itself, so JSON.parse is sufficient.

export function parseStored(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value)) throw new Error('a stored JSON column holds no object');
  return value;
}

/** The `meta` members of a record: attestation, envelope, envelope signature, the producer's metadata. */
export function storedMeta(record: CertificateRecord): JsonObject {
  return parseStored(record.metaJson);
}

/** The JSON text of a certificate as its tenant got it; of its reseal if raw values were not stored. */
export function storedCertificate({ bundleJson, metaJson, publicCerJson }: CertificateRecord): string {
  // Joins stored JSON texts of the node directly, without parsing and serializing them again.
  if (bundleJson !== null) return `${bundleJson.slice(0, -1)},"meta":${metaJson}}`;
  if (publicCerJson === null) throw new Error('a record without bundle has a public form');
  return publicCerJson;
}

/** The earlier attestations in a record's `meta` without their envelopes; no member where there are none. */
export function earlierAttestations(meta: JsonObject): JsonObject {
  const history = elementsOf(member(meta, 'attestationHistory'));
  if (history.length === 0) return {};
  return {
    attestationHistory: history.map((entry) =>
      isJsonObject(entry) ? pickPresent(entry, ['attestation', 'timestamps']) : entry,
    ),
  };
}

export function metaOf(attestation: AttestationMeta, metadata: JsonValue | undefined): JsonObject {
  return { ...attestation, ...(metadata !== undefined && { metadata }) };
}

/** For filters only; a text that a database cannot store is omitted here and remains in the bundle. */
export function appIdOf(bundle: JsonObject): string | null {
  return snapshotText(bundle, 'appId');
}

/** Provider, model and reviewed hash of an execution, for filters as `appIdOf`; null in other bundles. */
export function executionFacts(bundle: JsonObject): Pick<NewRecord, 'provider' | 'model' | 'reviewedHash'> {
  return {
    provider: snapshotText(bundle, 'provider'),
    model: snapshotText(bundle, 'model'),
    reviewedHash: reviewOf(bundle)?.reviewed ?? null,
  };
}

function snapshotText(bundle: JsonObject, name: string): string | null {
  const snapshot = member(bundle, 'snapshot');
  const value = isJsonObject(snapshot) ? member(snapshot, name) : undefined;
  return typeof value === 'string' && isWellFormed(value) ? value : null;
}

/** An object member of the node's own attestation; its absence is an internal error. */
export function textMember(object: JsonObject, name: string): string {
  const value = member(object, name);
  if (typeof value !== 'string') throw new Error(`a stored attestation lacks ${name}`);
  return value;
}

export function objectMember(object: JsonObject, name: string): JsonObject {
  const value = member(object, name);
  if (!isJsonObject(value)) throw new Error(`a stored attestation lacks ${name}`);
  return value;
}
