import { isJsonObject, member, type JsonObject } from '@cer/canonical-json';
import { formatCursor } from '@cer/cer-core/logs';
import { objectMember, storedMeta, textMember } from '../records/stored-cer.js';
import type { WholeRecord } from '../store/index.js';

// What an audit package says of one record, a line of JSON in each of its files. @see docs/spec.md, "Audit package"

/** The certificate as the tenant got it; the reseal where raw values kept the node from storing more. */
export function certificateLine({ record }: WholeRecord): string {
  const { bundleJson, metaJson, publicCerJson } = record;
  // Texts of objects that the node wrote itself, put together as texts: they need not be read and written again.
  if (bundleJson !== null) return `${bundleJson.slice(0, -1)},"meta":${metaJson}}\n`;
  if (publicCerJson === null) throw new Error('a record without bundle has a public form');
  return `${publicCerJson}\n`;
}

/** What the node signed, and how the record stands in the list. */
export function receiptLine({ record, firstAttestedAt }: WholeRecord): string {
  const attestation = objectMember(storedMeta(record), 'attestation');
  return line({
    certificateHash: record.certificateHash,
    resealedCertificateHash: record.bundleJson === null ? record.resealedCertificateHash : null,
    kind: record.kind,
    bundleType: record.bundleType,
    executionId: record.executionId,
    appId: record.appId,
    status: record.visibility,
    firstAttestedAt,
    attestedAt: record.attestedAt,
    attestationId: record.attestationId,
    cursor: formatCursor(record),
    receipt: objectMember(attestation, 'receipt'),
    signature: textMember(attestation, 'signature'),
    kid: textMember(attestation, 'kid'),
  });
}

/** The external timestamps of a record; null while it has none. */
export function timestampLine({ record }: WholeRecord): string | null {
  const meta = storedMeta(record);
  const timestamps = member(meta, 'timestamps');
  const timestamp = member(objectMember(meta, 'attestation'), 'timestamp');
  const isTimestamped = isJsonObject(timestamp) && typeof member(timestamp, 'token') === 'string';
  const all = Array.isArray(timestamps) ? timestamps : isTimestamped ? [timestamp] : [];
  return all.length === 0 ? null : line({ certificateHash: record.certificateHash, timestamps: all });
}

function line(value: JsonObject): string {
  return `${JSON.stringify(value)}\n`;
}
