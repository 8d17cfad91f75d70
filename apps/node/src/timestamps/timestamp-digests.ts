import type { JsonObject } from '@cer/canonical-json';
import { encodeHex } from '@cer/keys';
import { buildMerkleTree } from '@cer/tlog/merkle';
import type { Authority } from './authority.js';

/** `each` requests one token per receipt, `batch` one over the root of a tree of receipts. */
export type TimestampMode = 'each' | 'batch';

export interface DigestTimestamps {
  /** The entries of `meta.timestamps` for a digest; null for one without a timestamp. */
  entriesOf(digest: Uint8Array): readonly JsonObject[] | null;
  /** False when some digests need another request. */
  readonly isComplete: boolean;
}

/** Maximum concurrent requests, so that authorities do not block the node. */
const REQUESTS_AT_ONCE = 4;

/**
 * Requests timestamps for digests from every available authority.
 * @param digests SHA-256, 32 bytes each
 * @see docs/spec.md, "External timestamps"
 */
export async function timestampDigests(
  digests: readonly Uint8Array[],
  mode: TimestampMode,
  authorities: readonly Authority[],
  signal: AbortSignal,
): Promise<DigestTimestamps> {
  if (digests.length === 0) return { isComplete: true, entriesOf: () => null };
  return mode === 'batch'
    ? timestampTogether(digests, authorities, signal)
    : timestampOneByOne(digests, authorities, signal);
}

async function timestampTogether(
  digests: readonly Uint8Array[],
  authorities: readonly Authority[],
  signal: AbortSignal,
): Promise<DigestTimestamps> {
  const tree = buildMerkleTree(digests);
  const entries = await tokensOver(tree.root, authorities, signal);
  const places = new Map(digests.map((digest, leafIndex) => [encodeHex(digest), leafIndex]));
  return {
    isComplete: entries.length > 0,
    entriesOf: (digest) => {
      const leafIndex = places.get(encodeHex(digest));
      if (leafIndex === undefined || entries.length === 0) return null;
      const path = tree.inclusionPath(leafIndex).map((hash) => `sha256:${encodeHex(hash)}`);
      return entries.map((entry) => ({ ...entry, inclusion: { treeSize: tree.size, leafIndex, path } }));
    },
  };
}

async function timestampOneByOne(
  digests: readonly Uint8Array[],
  authorities: readonly Authority[],
  signal: AbortSignal,
): Promise<DigestTimestamps> {
  const timestamped = new Map<string, readonly JsonObject[]>();
  for (let start = 0; start < digests.length; start += REQUESTS_AT_ONCE) {
    const some = digests.slice(start, start + REQUESTS_AT_ONCE);
    const found = await Promise.all(some.map((digest) => tokensOver(digest, authorities, signal)));
    for (const [index, digest] of some.entries()) {
      const entries = found[index] ?? [];
      if (entries.length > 0) timestamped.set(encodeHex(digest), entries);
    }
    if (found.some((entries) => entries.length === 0)) break;
  }
  return {
    isComplete: timestamped.size === digests.length,
    entriesOf: (digest) => timestamped.get(encodeHex(digest)) ?? null,
  };
}

/** One authority is enough: missing tokens of the other are not requested again. */
async function tokensOver(
  imprint: Uint8Array,
  authorities: readonly Authority[],
  signal: AbortSignal,
): Promise<JsonObject[]> {
  const ready = authorities.filter((authority) => authority.isReady());
  const tokens = await Promise.all(ready.map((authority) => authority.timestamp(imprint, signal)));
  return tokens
    .filter((token) => token !== null)
    .map(({ token, provider }) => ({ type: 'rfc3161', status: 'verified', provider, token, covers: 'receipt' }));
}
