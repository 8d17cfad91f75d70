import { pickPresent, type JsonObject } from '@cer/canonical-json';
import { timestampDigest, timestampedText } from '@cer/cer-core/attest';
import { objectMember, parseStored, textMember } from '../records/stored-cer.js';
import type { TimestampedRecord, TimestampStore, UntimestampedRecord } from '../store/index.js';
import type { DigestTimestamps } from './timestamp-digests.js';
import type { TimestampSource } from './timestamp-source.js';

/** The receipts of stored records. @param now the node's clock, for the time of each timestamp */
export function recordSource(
  timestamps: TimestampStore,
  now: () => Date,
): TimestampSource<UntimestampedRecord, TimestampedRecord> {
  return {
    untimestamped: (after, limit) => timestamps.untimestamped(after, limit),
    digestsOf: digestsToTimestamp,
    withTimestamps,
    keep: (timestamped) => timestamps.keep(timestamped, now().toISOString()),
    hashOf: ({ certificateHash }) => certificateHash,
  };
}

/** Whether the worker can timestamp a record; it skips others at every turn. */
export function isTimestampable(record: UntimestampedRecord): boolean {
  try {
    digestsToTimestamp(record);
    withTimestamps(record, { isComplete: true, entriesOf: () => [] });
    return true;
  } catch {
    return false;
  }
}

/**
 * The digests to timestamp for a record: of its receipt with the signature, and of its reseal's.
 * @returns SHA-256 digests of 32 bytes each
 * @see docs/spec.md, "External timestamps"
 */
function digestsToTimestamp(record: UntimestampedRecord): readonly Uint8Array[] {
  const reseal = resealOf(record);
  return [receiptDigest(parseStored(record.metaJson)), ...(reseal === null ? [] : [receiptDigest(metaOf(reseal))])];
}

/** @returns the record with the timestamps in it, or null when one of its receipts has no timestamp */
function withTimestamps(asRead: UntimestampedRecord, timestamps: DigestTimestamps): TimestampedRecord | null {
  const meta = parseStored(asRead.metaJson);
  const own = timestamps.entriesOf(receiptDigest(meta));
  if (own === null) return null;
  const metaJson = JSON.stringify(timestampedMeta(meta, own));
  if (asRead.publicCerJson === null) return { asRead, metaJson, publicCerJson: null };

  const cer = parseStored(asRead.publicCerJson);
  const reseal = resealOf(asRead);
  if (reseal === null) {
    const publicCerJson = JSON.stringify({ ...cer, meta: timestampedMeta(metaOf(cer), own) });
    return { asRead, metaJson, publicCerJson };
  }
  const ofReseal = timestamps.entriesOf(receiptDigest(metaOf(reseal)));
  if (ofReseal === null) return null;
  const publicMeta = withOriginal(timestampedMeta(metaOf(reseal), ofReseal), own);
  return { asRead, metaJson, publicCerJson: JSON.stringify({ ...reseal, meta: publicMeta }) };
}

function timestampedMeta(meta: JsonObject, entries: readonly JsonObject[]): JsonObject {
  const [first] = entries;
  if (first === undefined) return meta;
  // Only `timestamps` contains the position in a batch.
  const timestamp = pickPresent(first, ['type', 'status', 'provider', 'token', 'covers']);
  return { ...meta, attestation: { ...objectMember(meta, 'attestation'), timestamp }, timestamps: [...entries] };
}

/** A reseal contains the original's receipt and therefore its timestamps too. */
function withOriginal(meta: JsonObject, entries: readonly JsonObject[]): JsonObject {
  const provenance = objectMember(meta, 'provenance');
  const original = { ...objectMember(provenance, 'original'), timestamps: [...entries] };
  return { ...meta, provenance: { ...provenance, original } };
}

/** Null for a record whose public form is the certificate itself. */
function resealOf({ resealedCertificateHash, publicCerJson }: UntimestampedRecord): JsonObject | null {
  return resealedCertificateHash === null || publicCerJson === null ? null : parseStored(publicCerJson);
}

function metaOf(cer: JsonObject): JsonObject {
  return objectMember(cer, 'meta');
}

function receiptDigest(meta: JsonObject): Uint8Array {
  const attestation = objectMember(meta, 'attestation');
  return timestampDigest(timestampedText(objectMember(attestation, 'receipt'), textMember(attestation, 'signature')));
}
