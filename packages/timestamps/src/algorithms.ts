import { RsaSaPssParams } from '@peculiar/asn1-rsa';
import { AsnConvert } from '@peculiar/asn1-schema';
import type { AlgorithmIdentifier } from '@peculiar/asn1-x509';
import { childAt, childrenOf, membersOf, readDer, readOid, TAG } from './der.js';
import { malformed } from './timestamp-error.js';

export const ID_SHA256 = '2.16.840.1.101.3.4.2.1';

/** SHA-256 or stronger: SHA-1 and MD5 are not listed, so signatures with them are never accepted. */
const DIGESTS: ReadonlyMap<string, 'SHA-256' | 'SHA-384' | 'SHA-512'> = new Map([
  [ID_SHA256, 'SHA-256'],
  ['2.16.840.1.101.3.4.2.2', 'SHA-384'],
  ['2.16.840.1.101.3.4.2.3', 'SHA-512'],
]);

const RSA_ENCRYPTION = '1.2.840.113549.1.1.1';
const RSA_PSS = '1.2.840.113549.1.1.10';
const EC_PUBLIC_KEY = '1.2.840.10045.2.1';
const ED25519 = '1.3.101.112';
const MGF1 = '1.2.840.113549.1.1.8';

const RSA_SIGNATURES: ReadonlyMap<string, string> = new Map([
  ['1.2.840.113549.1.1.11', 'SHA-256'],
  ['1.2.840.113549.1.1.12', 'SHA-384'],
  ['1.2.840.113549.1.1.13', 'SHA-512'],
]);

const ECDSA_SIGNATURES: ReadonlyMap<string, string> = new Map([
  ['1.2.840.10045.4.3.2', 'SHA-256'],
  ['1.2.840.10045.4.3.3', 'SHA-384'],
  ['1.2.840.10045.4.3.4', 'SHA-512'],
]);

/** The curves of WebCrypto, with the length of a coordinate in bytes. */
const CURVES: ReadonlyMap<string, { readonly namedCurve: string; readonly bytes: number }> = new Map([
  ['1.2.840.10045.3.1.7', { namedCurve: 'P-256', bytes: 32 }],
  ['1.3.132.0.34', { namedCurve: 'P-384', bytes: 48 }],
  ['1.3.132.0.35', { namedCurve: 'P-521', bytes: 66 }],
]);

/** An RSA key of 16384 bits has about 2100 bytes; larger keys would only waste the verifier's time. */
const MAX_SPKI_BYTES = 2200;
const MIN_RSA_BITS = 2048;

/** The digest of an algorithm identifier. @throws TimestampError for an unknown one or one weaker than SHA-256 */
export function digestName(algorithm: string): 'SHA-256' | 'SHA-384' | 'SHA-512' {
  const name = DIGESTS.get(algorithm);
  if (name === undefined) throw malformed('digestAlgorithm: must be SHA-256, SHA-384 or SHA-512');
  return name;
}

export async function digest(name: string, bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest(name, bytes.slice()));
}

/** Signed bytes, the signature algorithm, and the public key (DER of SubjectPublicKeyInfo). */
export interface SignedBytes {
  readonly algorithm: AlgorithmIdentifier;
  /** Digest for CMS, which may name only the key's algorithm in the signature algorithm. */
  readonly digest: string | null;
  readonly spki: Uint8Array;
  readonly bytes: Uint8Array;
  readonly signature: Uint8Array;
}

/**
 * @returns whether the signature is valid
 * @throws TimestampError for an algorithm or key that is unknown, too weak or too large
 */
export async function isSignatureValid(signed: SignedBytes): Promise<boolean> {
  const { spki, bytes, signature } = signed;
  if (spki.length > MAX_SPKI_BYTES) throw malformed('publicKey: is too large');
  const key = keyAlgorithmOf(spki);
  const scheme = schemeOf(signed, key);
  let publicKey: Awaited<ReturnType<typeof crypto.subtle.importKey>>;
  try {
    publicKey = await crypto.subtle.importKey('spki', spki.slice(), scheme.importAs, false, ['verify']);
  } catch {
    throw malformed('publicKey: does not match its algorithm');
  }
  const { algorithm } = publicKey;
  if ('modulusLength' in algorithm && Number(algorithm.modulusLength) < MIN_RSA_BITS) {
    throw malformed(`publicKey: RSA keys must have at least ${MIN_RSA_BITS} bits`);
  }
  const raw = scheme.coordinateBytes === null ? signature : ecdsaSignature(signature, scheme.coordinateBytes);
  return crypto.subtle.verify(scheme.verifyAs, publicKey, raw.slice(), bytes.slice());
}

interface Scheme {
  readonly importAs: { readonly name: string; readonly hash?: string; readonly namedCurve?: string };
  readonly verifyAs: { readonly name: string; readonly hash?: string; readonly saltLength?: number };
  readonly coordinateBytes: number | null;
}

function schemeOf({ algorithm, digest: stated }: SignedBytes, key: KeyAlgorithm): Scheme {
  const unsupported = malformed('signatureAlgorithm: is unknown, weaker than SHA-256, or of another key');
  const id = algorithm.algorithm;
  if (key.id === RSA_ENCRYPTION) {
    const hash = RSA_SIGNATURES.get(id) ?? (id === RSA_ENCRYPTION ? stated : null);
    if (hash !== null) return rsa('RSASSA-PKCS1-v1_5', hash, undefined);
    if (id !== RSA_PSS) throw unsupported;
    const { hash: pssHash, saltLength } = pssParameters(algorithm);
    return rsa('RSA-PSS', pssHash, saltLength);
  }
  if (key.id === EC_PUBLIC_KEY) {
    const hash = ECDSA_SIGNATURES.get(id) ?? (id === EC_PUBLIC_KEY ? stated : null);
    const curve = CURVES.get(key.curve ?? '');
    if (hash === null || curve === undefined) throw unsupported;
    return {
      importAs: { name: 'ECDSA', namedCurve: curve.namedCurve },
      verifyAs: { name: 'ECDSA', hash },
      coordinateBytes: curve.bytes,
    };
  }
  if (key.id === ED25519 && id === ED25519) {
    return { importAs: { name: 'Ed25519' }, verifyAs: { name: 'Ed25519' }, coordinateBytes: null };
  }
  throw unsupported;
}

function rsa(name: string, hash: string, saltLength: number | undefined): Scheme {
  return {
    importAs: { name, hash },
    verifyAs: saltLength === undefined ? { name } : { name, saltLength },
    coordinateBytes: null,
  };
}

function pssParameters({ parameters }: AlgorithmIdentifier): { readonly hash: string; readonly saltLength: number } {
  if (parameters == null) throw malformed('signatureAlgorithm: RSASSA-PSS without parameters means SHA-1');
  const { hashAlgorithm, maskGenAlgorithm, saltLength } = AsnConvert.parse(parameters, RsaSaPssParams);
  const hash = digestName(hashAlgorithm.algorithm);
  const mask = maskGenAlgorithm.parameters;
  const [maskDigest] = mask == null ? [] : membersOf(readDer(new Uint8Array(mask)), 'signatureAlgorithm');
  const isSameDigest = maskDigest?.tag === TAG.oid && readOid(maskDigest) === hashAlgorithm.algorithm;
  if (maskGenAlgorithm.algorithm !== MGF1 || !isSameDigest) {
    throw malformed('signatureAlgorithm: RSASSA-PSS must mask with the digest it signs with');
  }
  return { hash, saltLength };
}

interface KeyAlgorithm {
  readonly id: string;
  readonly curve: string | null;
}

function keyAlgorithmOf(spki: Uint8Array): KeyAlgorithm {
  const algorithm = childAt(membersOf(readDer(spki), 'publicKey'), 0, TAG.sequence, 'publicKey.algorithm');
  const members = childrenOf(algorithm);
  const curve = members[1];
  return {
    id: readOid(childAt(members, 0, TAG.oid, 'publicKey.algorithm')),
    curve: curve?.tag === TAG.oid ? readOid(curve) : null,
  };
}

/** Converts the two integers of X9.62 to the concatenated fixed-length form that WebCrypto expects. */
function ecdsaSignature(der: Uint8Array, bytes: number): Uint8Array {
  const members = membersOf(readDer(der), 'signature');
  if (members.length !== 2) throw malformed('signature: must have exactly two numbers');
  const raw = new Uint8Array(2 * bytes);
  for (const [index, name] of ['r', 's'].entries()) {
    const { content } = childAt(members, index, TAG.integer, `signature.${name}`);
    const isNegative = content.length === 0 || (content[0] ?? 0) >= 0x80;
    const isPadded = content.length > 1 && content[0] === 0 && (content[1] ?? 0) < 0x80;
    if (isNegative || isPadded) throw malformed(`signature.${name}: must be a positive number in its shortest form`);
    const digits = content[0] === 0 ? content.subarray(1) : content;
    if (digits.length > bytes) throw malformed(`signature.${name}: is too large for the curve`);
    raw.set(digits, (index + 1) * bytes - digits.length);
  }
  return raw;
}
