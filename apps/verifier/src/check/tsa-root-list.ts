import { sha256 } from '@cer/cer-core';
import type { LoadTimestampCode } from './timestamp-code.js';

/** A chosen time-stamping authority as people compare it. */
export interface ListedTsaRoot {
  readonly name: string;
  /** SHA-256 of the certificate's DER, written as a hash. */
  readonly fingerprint: string;
  /** ISO-8601. */
  readonly notAfter: string;
}

/** The certificates of a PEM file; null when it contains none, or anything else beside them. */
export async function listTsaRoots(pem: string, load: LoadTimestampCode): Promise<readonly ListedTsaRoot[] | null> {
  const { parseTsaRoots } = await load();
  try {
    return parseTsaRoots(pem).certificates.map(({ displayName, whole, notAfter }) => ({
      name: displayName,
      fingerprint: sha256(whole),
      notAfter: new Date(notAfter).toISOString(),
    }));
  } catch {
    // Any file may be handed over.
    return null;
  }
}
