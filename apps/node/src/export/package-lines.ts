import { isJsonObject, member, type JsonObject } from '@cer/canonical-json';
import { formatCursor } from '@cer/cer-core/logs';
import { earlierAttestations, objectMember, storedCertificate, storedMeta, textMember } from '../records/stored-cer.js';
import type { WholeRecord } from '../store/index.js';

// The lines of JSON for one record, one per file of the audit package. @see docs/spec.md, "Audit package"

/** The certificate as returned to the tenant; the reseal if raw values were not stored. */
export function certificateLine({ record }: WholeRecord): string {
  return `${storedCertificate(record)}\n`;
}

/** The signed attestation, and the record's entry in the list. */
export function receiptLine({ record, firstAttestedAt }: WholeRecord): string {
  const meta = storedMeta(record);
  const attestation = objectMember(meta, 'attestation');
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
    // Where the certificate's line is a reseal, whose history is its own.
    ...(record.bundleJson === null && earlierAttestations(meta)),
  });
}

/** The external timestamps of a record; null without one. */
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
