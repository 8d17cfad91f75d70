import { encodeBase64Url, type Signer } from '@cer/keys';
import {
  parseKeyHistoryEntry,
  replayKeyHistory,
  type KeyChange,
  type KeyHistoryEntry,
  type RootIntroduction,
} from '@cer/keys/key-history';
import { jcsV1 } from '../profiles.js';
import { keyHistoryHead, type KeyHistoryEntries } from './chain.js';

const ROOT_ENDORSEMENT_TYPE = 'svc.key-history-root.v1';

/** A change to append as the next entry. */
export interface NextChange<Change = KeyChange> {
  /** UTC with milliseconds. A time before the newest entry is replaced by that entry's time. */
  readonly issuedAt: string;
  readonly change: Change;
}

/**
 * Makes the next entry.
 * @param history complete, as stored
 * @throws KeyError KEY_HISTORY_INVALID when the change is malformed or impossible at this point, so that no verifier
 * refuses the entry
 * @see docs/spec.md, "Key history"
 */
export function nextKeyHistoryEntry(history: KeyHistoryEntries, { issuedAt, change }: NextChange): KeyHistoryEntry {
  const { seq, hash } = keyHistoryHead(history);
  const newest = history.entries.at(-1)?.issuedAt ?? issuedAt;
  const made = { seq: seq + 1, prevHash: hash, issuedAt: issuedAt < newest ? newest : issuedAt, change };
  const entry = parseKeyHistoryEntry(made, history.entries.length);
  replayKeyHistory(history.nodeId, [...history.entries, entry]);
  return entry;
}

/**
 * Makes the entry that adds a root, endorsed by a trusted one.
 * @param endorser the root that vouches for the new one
 * @throws KeyError KEY_HISTORY_INVALID as {@link nextKeyHistoryEntry}
 */
export async function nextRootEntry(
  history: KeyHistoryEntries,
  { issuedAt, change }: NextChange<RootIntroduction>,
  endorser: Signer,
): Promise<KeyHistoryEntry> {
  const plain = withoutEndorsement(change);
  const entry = nextKeyHistoryEntry(history, { issuedAt, change: plain });
  const signature = encodeBase64Url(await endorser.sign(endorsedBytes(history.nodeId, entry)));
  const endorsed = { ...plain, endorsement: { kid: endorser.kid, signature } };
  return nextKeyHistoryEntry(history, { issuedAt: entry.issuedAt, change: endorsed });
}

/** The text that an endorsement signs: the entry without the endorsement, bound to this node and this purpose. */
export function endorsedBytes(nodeId: string, { seq, prevHash, issuedAt, change }: KeyHistoryEntry): Uint8Array {
  const plain = change.type === 'root-added' || change.type === 'root-replaced' ? withoutEndorsement(change) : change;
  const signed = { type: ROOT_ENDORSEMENT_TYPE, nodeId, seq, prevHash, issuedAt, change: plain };
  return new TextEncoder().encode(jcsV1.canonicalize(signed));
}

function withoutEndorsement(change: RootIntroduction): RootIntroduction {
  if (change.type === 'root-added') return { type: change.type, root: change.root };
  return { type: change.type, kid: change.kid, root: change.root };
}
