import { decodeBase64Url, KeyError, publicKeyFromBase64, type PublicKey, type SignatureVerifier } from '@cer/keys';
import type { HistoryRoot, KeyHistoryEntry } from '@cer/keys/key-history';
import { endorsedBytes } from './append.js';

/** Whether a base64url signature is this key's over these bytes; false when malformed. */
export async function isSignedBy(
  key: PublicKey,
  bytes: Uint8Array,
  signature: string,
  verify: SignatureVerifier,
): Promise<boolean> {
  try {
    return await verify(key, bytes, decodeBase64Url(signature));
  } catch (error) {
    if (error instanceof KeyError) return false;
    throw error;
  }
}

/**
 * Looks for an endorsement that its root did not make.
 * @param entries replayed without a fault, so every endorsement names a root that was trusted at that point
 * @returns the path of the first, or null
 */
export async function findFalseEndorsement(
  nodeId: string,
  entries: readonly KeyHistoryEntry[],
  roots: ReadonlyMap<string, HistoryRoot>,
  verify: SignatureVerifier,
): Promise<string | null> {
  for (const [at, entry] of entries.entries()) {
    const endorsement = 'endorsement' in entry.change ? entry.change.endorsement : undefined;
    if (endorsement === undefined) continue;
    const endorser = roots.get(endorsement.kid);
    const holds =
      endorser !== undefined &&
      (await isSignedBy(
        publicKeyFromBase64(endorser.publicKey),
        endorsedBytes(nodeId, entry),
        endorsement.signature,
        verify,
      ));
    if (!holds) return `entries[${at}].change.endorsement`;
  }
  return null;
}

/**
 * The roots that may sign today for a caller who pins one of them: the pinned root and, transitively, the roots that
 * trusted ones endorsed, without the replaced. Endorsements by a revoked root do not count: its thief may have made
 * them.
 */
export function trustedRoots(roots: ReadonlyMap<string, HistoryRoot>, pinnedKid: string): ReadonlySet<string> {
  const reached = new Set<string>();
  // In order of addition, so an endorser always precedes the roots it endorsed.
  for (const root of roots.values()) {
    const isReached = root.kid === pinnedKid || (root.endorsedBy !== null && reached.has(root.endorsedBy));
    if (isReached && root.status !== 'revoked') reached.add(root.kid);
  }
  return new Set([...reached].filter((kid) => roots.get(kid)?.status === 'live'));
}
