import { parseKeyEntry, unusable, type KeyEntry } from './key-entry.js';
import { KeyError } from './key-error.js';
import { isJsonObject, ownMember } from './own-member.js';

/** The keys of one node, as a verifier sees them. */
export interface NodeKeySet {
  readonly nodeId: string;
  /** What the document names as the signing key; for display only, verification never consults it. */
  readonly activeKid: string | null;
  /** By kid, in document order. */
  readonly entries: ReadonlyMap<string, KeyEntry>;
  /** Only of a verified key history: the time up to which a root vouches for what the set says of revocations. */
  readonly revocationsKnownUntil?: string;
}

/**
 * Reads a node's published key set. One bad entry spoils only itself: it stays in `entries`, unusable and with the
 * reason, so that a report can say why a signature under it counts for nothing. Entries that name no kid are left out.
 * @param value parsed JSON of unknown content
 * @throws KeyError KEY_SET_INVALID when the document itself is not `{nodeId: string, keys: array}`
 * @see docs/spec.md, "Node key set"
 */
export function parseKeySet(value: unknown): NodeKeySet {
  if (!isJsonObject(value)) throw new KeyError('KEY_SET_INVALID', 'key set: must be an object');
  const nodeId = ownMember(value, 'nodeId');
  if (typeof nodeId !== 'string') throw new KeyError('KEY_SET_INVALID', 'key set: nodeId must be a string');
  const keys: unknown = ownMember(value, 'keys');
  if (!Array.isArray(keys)) throw new KeyError('KEY_SET_INVALID', 'key set: keys must be an array');
  const activeKid = ownMember(value, 'activeKid');
  return { nodeId, activeKid: typeof activeKid === 'string' ? activeKid : null, entries: entriesByKid(keys) };
}

function entriesByKid(keys: readonly unknown[]): ReadonlyMap<string, KeyEntry> {
  const entries = new Map<string, KeyEntry>();
  for (const key of keys) {
    if (!isJsonObject(key)) continue;
    const kid = ownMember(key, 'kid');
    if (typeof kid !== 'string') continue;
    const twin = entries.get(kid);
    // Which of the two the signer meant cannot be told, and order in a document must not decide.
    if (twin !== undefined) entries.set(kid, { ...twin, key: unusable('kid: appears more than once in the key set') });
    else entries.set(kid, parseKeyEntry(kid, key));
  }
  return entries;
}
