import { parseKeyEntry, unusable, type KeyEntry } from './key-entry.js';
import { KeyError } from './key-error.js';
import { isJsonObject, ownMember } from './own-member.js';

/** The keys of one node, as read by a verifier. */
export interface NodeKeySet {
  readonly nodeId: string;
  /** The signing key according to the document; for display only, verification ignores it. */
  readonly activeKid: string | null;
  /** By kid, in document order. */
  readonly entries: ReadonlyMap<string, KeyEntry>;
  /** Only from a verified key history: the time up to which a root vouches for the revocations in the set. */
  readonly revocationsKnownUntil?: string;
}

/**
 * Parses a node's published key set. A bad entry does not affect others: it stays in `entries`, unusable and with the
 * reason, so that a report can explain why signatures by it are rejected. Entries without a kid are omitted.
 * @param value untrusted parsed JSON
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
    // Which of the two the signer meant is unknown, and document order must not decide.
    if (twin !== undefined) entries.set(kid, { ...twin, key: unusable('kid: appears more than once in the key set') });
    else entries.set(kid, parseKeyEntry(kid, key));
  }
  return entries;
}
