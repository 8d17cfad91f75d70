import type { JsonValue } from '@cer/canonical-json';

/** The object of a token: the signing, or only the content. */
export type TimestampCovers = 'receipt' | 'content';

/** A received token, and the digests it may cover. */
export interface TimestampClaim {
  /** Base64 of DER, of unknown content. */
  readonly token: string;
  /** Proof of the digest's position in a batch, of unknown content; undefined for a token over the digest itself. */
  readonly inclusion: JsonValue | undefined;
  /** SHA-256 digests, 32 bytes each; the first that the token covers counts. */
  readonly candidates: readonly { readonly covers: TimestampCovers; readonly digest: Uint8Array }[];
}

/** `untrusted`: valid, under a root that the caller did not pin. */
export interface SoundTimestamp {
  readonly status: 'verified' | 'untrusted';
  readonly covers: TimestampCovers;
  /** ISO 8601, UTC. */
  readonly genTime: string;
  /** Nanoseconds around genTime; 0 where the authority states none. */
  readonly accuracy: number;
  /** The authority's name by its certificate. */
  readonly provider: string;
}

export type TimestampFinding =
  | SoundTimestamp
  | { readonly status: 'invalid'; readonly detail: string }
  /** The caller gave no way to check tokens. */
  | { readonly status: 'not-checked' };

/**
 * Checks RFC 3161 tokens against the roots that the caller pinned. A port: the checker brings a parser for
 * certificates, which callers without tokens need not load. It never throws on hostile input.
 */
export type TimestampVerifier = (claim: TimestampClaim) => Promise<TimestampFinding>;
