import { publicKeyFromRaw, type PublicKey } from '@cer/keys';

/** EC_PARAMS of Ed25519 as written by modules: the OID 1.3.101.112 (RFC 8410), or the curve's name (PKCS#11 3.0). */
const ED25519_OID = Buffer.from('06032b6570', 'hex');
const ED25519_NAME = Buffer.concat([Buffer.of(0x13, 12), Buffer.from('edwards25519')]);

/** The forms of EC_PARAMS to try when creating a key, the more common one first. */
export const ED25519_PARAMS: readonly Buffer[] = [ED25519_OID, ED25519_NAME];

/** Whether EC_PARAMS names Ed25519; CKK_EC_EDWARDS keys may also be of Ed448. */
export function isEd25519(params: Uint8Array): boolean {
  return ED25519_PARAMS.some((known) => known.equals(params));
}

/**
 * Reads EC_POINT: 32 raw bytes (PKCS#11 3.0), or those in a DER OCTET STRING or BIT STRING (earlier and later modules).
 * @returns null for anything else, including points that the strict gate rejects
 */
export function publicKeyOfPoint(point: Uint8Array): PublicKey | null {
  const raw = rawPoint(Buffer.from(point));
  if (raw === null) return null;
  try {
    return publicKeyFromRaw(raw);
  } catch {
    return null;
  }
}

function rawPoint(point: Buffer): Buffer | null {
  if (point.length === 32) return point;
  const wrapped = WRAPPINGS.find((prefix) => point.length === prefix.length + 32 && point.indexOf(prefix) === 0);
  return wrapped === undefined ? null : point.subarray(wrapped.length);
}

const WRAPPINGS: readonly Buffer[] = [Buffer.of(0x04, 32), Buffer.of(0x03, 33, 0)];
