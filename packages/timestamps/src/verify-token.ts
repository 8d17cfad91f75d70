import { digest, digestName, ID_SHA256, isSignatureValid } from './algorithms.js';
import { findChain } from './chain.js';
import { isSameBytes } from './der.js';
import { positiveInteger } from './request.js';
import type { TsaRoots } from './roots.js';
import { TimestampError } from './timestamp-error.js';
import { parseTimestampToken, type TimestampToken } from './token.js';

/** The content of a valid token. */
export interface TokenTime {
  /** ISO 8601, UTC. */
  readonly genTime: string;
  /** Nanoseconds around `genTime`; 0 if the authority states none. */
  readonly accuracy: number;
  /** The authority's name in its certificate. */
  readonly authority: string;
  /** SHA-256, 32 bytes. */
  readonly imprint: Uint8Array;
}

export type TokenOutcome =
  | ({ readonly status: 'verified' | 'untrusted' } & TokenTime)
  | { readonly status: 'invalid'; readonly detail: string };

export interface TokenChecks {
  readonly roots: TsaRoots;
  /** Whether a SHA-256 imprint (32 bytes) is the expected one. */
  readonly isImprint: (imprint: Uint8Array) => boolean;
  /** Known only to the requester. */
  readonly nonce?: Uint8Array;
}

/**
 * Verifies a token: imprint, CMS signature, binding to one certificate, its purpose, and its chain to a pinned root at
 * the time of the timestamp. Never throws on hostile input.
 * @param bytes untrusted DER
 * @see docs/spec.md, "External timestamps"
 */
export async function verifyTimestampToken(bytes: Uint8Array, checks: TokenChecks): Promise<TokenOutcome> {
  try {
    return await verify(parseTimestampToken(bytes), checks);
  } catch (error) {
    // A library's message may quote hostile bytes.
    const detail = error instanceof TimestampError ? error.message : 'the token cannot be read';
    return { status: 'invalid', detail };
  }
}

async function verify(token: TimestampToken, { roots, isImprint, nonce }: TokenChecks): Promise<TokenOutcome> {
  const { imprintAlgorithm, imprint, content, signer, certificates } = token;
  if (imprintAlgorithm !== ID_SHA256 || imprint.length !== 32) return invalid('the imprint must be SHA-256');
  if (!isImprint(imprint)) return invalid('the imprint does not match');
  if (nonce !== undefined && (token.nonce === null || !isSameBytes(token.nonce, positiveInteger(nonce)))) {
    return invalid('the nonce is not the one that was sent');
  }

  const digestAlgorithm = digestName(signer.digestAlgorithm);
  if (!isSameBytes(await digest(digestAlgorithm, content), signer.messageDigest)) {
    return invalid('messageDigest does not match the content');
  }
  const certificate = [...certificates, ...roots.certificates].find(signer.isNamed);
  if (certificate === undefined) return invalid('the certificate of the authority is not in the token');
  const { algorithm, hash } = signer.certificateDigest;
  if (!isSameBytes(await digest(digestName(algorithm), certificate.whole), hash)) {
    return invalid('ESSCertIDv2 names another certificate');
  }
  if (!certificate.mayTimestamp) {
    return invalid('the extended key usage must be critical and timeStamping alone');
  }
  const isSigned = await isSignatureValid({
    algorithm: signer.signatureAlgorithm,
    digest: digestAlgorithm,
    spki: certificate.spki,
    bytes: signer.signedAttributes,
    signature: signer.signature,
  });
  if (!isSigned) return invalid('the signature is not valid');

  const chain = await findChain(certificate, certificates, roots, Date.parse(token.genTime));
  if (chain.status === 'invalid') return invalid(chain.detail);
  const { genTime, accuracy } = token;
  return {
    status: chain.status === 'pinned' ? 'verified' : 'untrusted',
    genTime,
    accuracy,
    authority: certificate.displayName,
    imprint,
  };
}

function invalid(detail: string): TokenOutcome {
  return { status: 'invalid', detail };
}
