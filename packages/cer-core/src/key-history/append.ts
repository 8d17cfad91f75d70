import {
  encodeBase64Url,
  parseKeyHistoryEntry,
  replayKeyHistory,
  type KeyChange,
  type KeyHistoryEntry,
  type RootIntroduction,
  type Signer,
} from '@cer/keys';
import { jcsV1 } from '../profiles.js';
import { keyHistoryHead, type KeyHistoryEntries } from './chain.js';

const ROOT_ENDORSEMENT_TYPE = 'svc.key-history-root.v1';

/** A change that is to become the next entry. */
export interface NextChange<Change = KeyChange> {
  /** UTC with milliseconds. A clock that went back is put forward to the time of the newest entry. */
  readonly issuedAt: string;
  readonly change: Change;
}

/**
 * Makes the entry that follows.
 * @param history whole, as it is stored
 * @throws KeyError KEY_HISTORY_INVALID when the change is malformed or impossible at this point; nothing that a verifier
 * would refuse is ever made
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
 * Makes the entry that brings a root in, endorsed by one that counts already.
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

/** What an endorsement signs: the entry without the endorsement, for this node and for no other purpose. */
export function endorsedBytes(nodeId: string, { seq, prevHash, issuedAt, change }: KeyHistoryEntry): Uint8Array {
  const plain = change.type === 'root-added' || change.type === 'root-replaced' ? withoutEndorsement(change) : change;
  const signed = { type: ROOT_ENDORSEMENT_TYPE, nodeId, seq, prevHash, issuedAt, change: plain };
  return new TextEncoder().encode(jcsV1.canonicalize(signed));
}

function withoutEndorsement(change: RootIntroduction): RootIntroduction {
  if (change.type === 'root-added') return { type: change.type, root: change.root };
  return { type: change.type, kid: change.kid, root: change.root };
}
