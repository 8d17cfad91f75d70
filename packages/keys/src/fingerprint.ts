import { sha256 } from '#keys-platform';
import { encodeBase64Url } from './base64.js';
import { encodeHex } from './hex.js';
import { toJwk } from './jwk.js';
import { toSpki, type PublicKey } from './public-key.js';

/**
 * The RFC 7638 thumbprint, which is the `kid` of keys made by this project.
 * @returns base64url of SHA-256 over the JWK's required members in lexical order, 43 characters
 */
export function jwkThumbprint(key: PublicKey): string {
  const { crv, kty, x } = toJwk(key);
  return encodeBase64Url(sha256(new TextEncoder().encode(JSON.stringify({ crv, kty, x }))));
}

/** Every report shows the fingerprint of the one key of its certificate. */
const fingerprints = new WeakMap<PublicKey, string>();

/**
 * The fingerprint shown in reports, for people who compare keys by eye or with `openssl pkey -pubin -outform DER |
 * sha256sum`.
 * @returns `sha256:` and the 64 lower-case hex digits of SHA-256 over the SPKI DER
 */
export function keyFingerprint(key: PublicKey): string {
  const known = fingerprints.get(key);
  if (known !== undefined) return known;
  const fingerprint = `sha256:${encodeHex(sha256(toSpki(key)))}`;
  fingerprints.set(key, fingerprint);
  return fingerprint;
}
