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
    return true;
  } catch {
    return false;
  }
}

/** The parts of a record that contain timestamps. */
interface Parts {
  readonly meta: JsonObject;
  /** Null: no public form. */
  readonly publicForm: PublicForm | null;
}

interface PublicForm {
  readonly cer: JsonObject;
  readonly meta: JsonObject;
  /** Null: the certificate itself is the public form. */
  readonly reseal: { readonly provenance: JsonObject; readonly original: JsonObject } | null;
}

/** @throws Error for a record with a part in which no timestamp can be stored: none is requested for it */
function partsOf({ metaJson, publicCerJson, resealedCertificateHash }: UntimestampedRecord): Parts {
  const meta = parseStored(metaJson);
  if (publicCerJson === null) return { meta, publicForm: null };
  const cer = parseStored(publicCerJson);
  const ofCer = objectMember(cer, 'meta');
  if (resealedCertificateHash === null) {
    objectMember(ofCer, 'attestation');
    return { meta, publicForm: { cer, meta: ofCer, reseal: null } };
  }
  const provenance = objectMember(ofCer, 'provenance');
  const reseal = { provenance, original: objectMember(provenance, 'original') };
  return { meta, publicForm: { cer, meta: ofCer, reseal } };
}

/**
 * The digests to timestamp for a record: of its receipt with the signature, and of its reseal's.
 * @returns SHA-256 digests of 32 bytes each
 * @see docs/spec.md, "External timestamps"
 */
function digestsToTimestamp(record: UntimestampedRecord): readonly Uint8Array[] {
  const { meta, publicForm } = partsOf(record);
  return publicForm === null || publicForm.reseal === null
    ? [receiptDigest(meta)]
    : [receiptDigest(meta), receiptDigest(publicForm.meta)];
}

/** @returns the record with the timestamps in it, or null when one of its receipts has no timestamp */
function withTimestamps(asRead: UntimestampedRecord, timestamps: DigestTimestamps): TimestampedRecord | null {
  const { meta, publicForm } = partsOf(asRead);
  const own = timestamps.entriesOf(receiptDigest(meta));
  if (own === null) return null;
  const metaJson = JSON.stringify(timestampedMeta(meta, own));
  if (publicForm === null) return { asRead, metaJson, publicCerJson: null };

  const { reseal, cer } = publicForm;
  const ofPublicForm = reseal === null ? own : timestamps.entriesOf(receiptDigest(publicForm.meta));
  if (ofPublicForm === null) return null;
  const ownMeta = timestampedMeta(publicForm.meta, ofPublicForm);
  // A reseal contains the original's receipt and therefore its timestamps too.
  const publicMeta =
    reseal === null
      ? ownMeta
      : { ...ownMeta, provenance: { ...reseal.provenance, original: { ...reseal.original, timestamps: [...own] } } };
  return { asRead, metaJson, publicCerJson: JSON.stringify({ ...cer, meta: publicMeta }) };
}

function timestampedMeta(meta: JsonObject, entries: readonly JsonObject[]): JsonObject {
  const [first] = entries;
  if (first === undefined) return meta;
  // Only `timestamps` contains the position in a batch.
  const timestamp = pickPresent(first, ['type', 'status', 'provider', 'token', 'covers']);
  return { ...meta, attestation: { ...objectMember(meta, 'attestation'), timestamp }, timestamps: [...entries] };
}

function receiptDigest(meta: JsonObject): Uint8Array {
  const attestation = objectMember(meta, 'attestation');
  return timestampDigest(timestampedText(objectMember(attestation, 'receipt'), textMember(attestation, 'signature')));
}
