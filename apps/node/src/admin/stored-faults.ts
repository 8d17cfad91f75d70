import { isJsonObject, isSameJson, member, type JsonObject } from '@cer/canonical-json';
import { evaluateCer, type VerifyOptions } from '@cer/cer-core/verify';
import { objectMember, parseStored, storedMeta } from '../records/stored-cer.js';
import type { CertificateRecord } from '../store/index.js';

/**
 * The fault that forbids signing a record again: a hash that does not recompute, a receipt that does not verify.
 * @returns null when the stored record is valid
 */
export async function storedFault(record: CertificateRecord, options: VerifyOptions): Promise<string | null> {
  const meta = storedMeta(record);
  const { bundleJson, publicCerJson, resealedCertificateHash } = record;
  if (bundleJson !== null) {
    const fault = await faultOf({ ...parseStored(bundleJson), meta }, record.certificateHash);
    if (fault !== null) return fault;
  }
  if (resealedCertificateHash !== null && publicCerJson !== null) {
    const reseal = parseStored(publicCerJson);
    const fault = await faultOf(reseal, resealedCertificateHash);
    if (fault !== null) return `reseal: ${fault}`;
    // The receipt of an original that is not stored is verified through the reseal, so it must be the same one.
    if (!isOriginalOf(reseal, meta)) return 'reseal: names another receipt of the original than the stored one';
    return null;
  }
  return bundleJson === null ? 'the record holds no content to check' : null;

  async function faultOf(cer: JsonObject, hash: string): Promise<string | null> {
    const { integrity, receipt, computedCertificateHash, isHashOnly, certificateHash } = await evaluateCer(
      cer,
      options,
    );
    if (certificateHash !== hash) return 'certificateHash: is not that of the record';
    if (!isHashOnly && (integrity.status !== 'PASS' || computedCertificateHash !== hash)) {
      return 'certificateHash: does not recompute';
    }
    return receipt.status === 'PASS' ? null : 'receipt: does not verify';
  }
}

function isOriginalOf(reseal: JsonObject, meta: JsonObject): boolean {
  const original = member(objectMember(objectMember(reseal, 'meta'), 'provenance'), 'original');
  const attestation = objectMember(meta, 'attestation');
  return (
    isJsonObject(original) &&
    (['receipt', 'signature'] as const).every((name) =>
      isSameJson(member(original, name) ?? null, member(attestation, name) ?? null),
    )
  );
}
