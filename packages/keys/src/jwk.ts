import { decodeBase64Url, encodeBase64Url } from './base64.js';
import { KeyError } from './key-error.js';
import { isJsonObject, ownMember } from './own-member.js';
import { publicKeyFromRaw, type PublicKey } from './public-key.js';

/** An Ed25519 public key as JWK (RFC 8037), required members only. */
export interface Ed25519Jwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  /** Base64url of the raw key. */
  readonly x: string;
}

function refuse(rule: string): never {
  throw new KeyError('KEY_FORMAT_UNSUPPORTED', `publicKeyJwk: ${rule}`);
}

/**
 * Reads an Ed25519 public JWK. Unknown members are ignored; members that forbid verification with the key are
 * respected.
 * @throws KeyError KEY_FORMAT_UNSUPPORTED for another key type or curve, a private key (`d`), another `use` or `alg`;
 * ENCODING_INVALID when `x` is not canonical base64url; KEY_POINT_INVALID
 */
export function publicKeyFromJwk(jwk: unknown): PublicKey {
  if (!isJsonObject(jwk)) return refuse('must be an object');
  const fault = purposeFault(jwk);
  if (fault !== null) return refuse(fault);
  if (ownMember(jwk, 'kty') !== 'OKP') return refuse('kty must be "OKP"');
  if (ownMember(jwk, 'crv') !== 'Ed25519') return refuse('crv must be "Ed25519"');
  const x = ownMember(jwk, 'x');
  if (typeof x !== 'string') return refuse('x must be a string');
  return publicKeyFromRaw(decodeBase64Url(x));
}

/** Why a JWK of any type may not be used to verify, or null. In `use` and `alg` null means absent. */
export function purposeFault(jwk: object): string | null {
  if (ownMember(jwk, 'd') !== undefined) return 'd must be absent, a published private key vouches for nothing';
  const use = ownMember(jwk, 'use') ?? 'sig';
  if (use !== 'sig') return 'use must be "sig"';
  const alg = ownMember(jwk, 'alg') ?? 'EdDSA';
  return alg === 'EdDSA' || alg === 'Ed25519' ? null : 'alg must be "EdDSA" or "Ed25519"';
}

/** The key as JWK, with exactly the three members that the thumbprint covers. */
export function toJwk(key: PublicKey): Ed25519Jwk {
  return { kty: 'OKP', crv: 'Ed25519', x: encodeBase64Url(key.raw) };
}
