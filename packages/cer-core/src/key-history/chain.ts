import { KEY_HISTORY_TYPE, type KeyHistoryEntry, type KeyHistoryHead } from '@cer/keys/key-history';
import { jcsV1 } from '../profiles.js';
import { sha256, type Sha256Hash } from '../hash.js';

/** A node's list of entries. */
export interface KeyHistoryEntries {
  readonly nodeId: string;
  readonly entries: readonly KeyHistoryEntry[];
}

/**
 * `prevHash` of a node's first entry: it holds the nodeId, so that an entry never fits into the history of another
 * node.
 */
function keyHistoryStart(nodeId: string): Sha256Hash {
  return sha256(jcsV1.canonicalize({ type: KEY_HISTORY_TYPE, nodeId }));
}

/** SHA-256 of the entry's JCS form. @see docs/spec.md, "Key history" */
export function hashKeyHistoryEntry(entry: KeyHistoryEntry): Sha256Hash {
  return sha256(jcsV1.canonicalize(entry));
}

/** The newest entry's number and hash; `seq` 0 and the start value of the node while there is none. */
export function keyHistoryHead({ nodeId, entries }: KeyHistoryEntries): KeyHistoryHead {
  const last = entries.at(-1);
  if (last === undefined) return { seq: 0, hash: keyHistoryStart(nodeId) };
  return { seq: last.seq, hash: hashKeyHistoryEntry(last) };
}

/**
 * Follows the chain.
 * @returns the hash of each entry, or the place of the first that does not follow the one before it
 */
export function followChain({
  nodeId,
  entries,
}: KeyHistoryEntries):
  | { readonly hashes: readonly Sha256Hash[] }
  | { readonly hashes: null; readonly member: string; readonly detail: string } {
  const hashes: Sha256Hash[] = [];
  let expected = keyHistoryStart(nodeId);
  for (const [at, entry] of entries.entries()) {
    if (entry.seq !== at + 1) {
      return { hashes: null, member: `entries[${at}].seq`, detail: 'is not the number after the one before it' };
    }
    if (entry.prevHash !== expected) {
      return { hashes: null, member: `entries[${at}].prevHash`, detail: 'is not the hash of the entry before it' };
    }
    expected = hashKeyHistoryEntry(entry);
    hashes.push(expected);
  }
  return { hashes };
}
