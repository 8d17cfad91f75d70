import { isJsonObject, member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import type { NodeLog } from '../log/node-log.js';
import type { CertificateRecord } from '../store/index.js';

type Logged = Pick<CertificateRecord, 'tenantId' | 'certificateHash' | 'resealedCertificateHash'>;

/**
 * An answer about a record with the log proofs of its receipts, as soon as there are any: beside the receipt, in the
 * `meta` of its bundle, and for a reseal in the `meta` of its original. All of them are outside hash and envelope.
 * @see docs/spec.md, "Transparency log"
 */
export async function withLogProofs(
  answer: JsonObject,
  { tenantId, certificateHash, resealedCertificateHash }: Logged,
  log: Pick<NodeLog, 'proofs'> | null,
): Promise<JsonObject> {
  if (log === null) return answer;
  const find = async (source: 'record' | 'reseal', hash: string): Promise<JsonValue | null> => {
    const found = await log.proofs.find(source, { tenantId, hash }, 'public');
    return found.status === 'proven' ? [{ ...found.proof }] : null;
  };
  const ofRecord = await find('record', certificateHash);
  const ofReseal = resealedCertificateHash === null ? null : await find('reseal', resealedCertificateHash);
  const cer = member(answer, 'cer');
  return {
    ...answer,
    ...(ofRecord !== null && { logProofs: ofRecord }),
    ...(isJsonObject(cer) && { cer: withProofsInMeta(cer, ofRecord, ofReseal) }),
  };
}

function withProofsInMeta(cer: JsonObject, ofRecord: JsonValue | null, ofReseal: JsonValue | null): JsonObject {
  const meta = member(cer, 'meta');
  if (!isJsonObject(meta)) return cer;
  const provenance = member(meta, 'provenance');
  const original = isJsonObject(provenance) ? member(provenance, 'original') : undefined;
  if (!isJsonObject(provenance) || !isJsonObject(original)) {
    return ofRecord === null ? cer : { ...cer, meta: { ...meta, logProofs: ofRecord } };
  }
  return {
    ...cer,
    meta: {
      ...meta,
      ...(ofReseal !== null && { logProofs: ofReseal }),
      provenance: {
        ...provenance,
        ...(ofRecord !== null && { original: { ...original, logProofs: ofRecord } }),
      },
    },
  };
}
