import { nextKeyHistoryEntry, type KeyHistoryEntries } from '@cer/cer-core/logs';
import { toSpkiBase64, type KeySetDocumentEntry } from '@cer/keys';
import {
  KEY_HISTORY_TYPE,
  parseKeyHistoryEntry,
  replayKeyHistory,
  type KeyChange,
  type KeyHistoryDocument,
  type KeyHistoryEntry,
} from '@cer/keys/key-history';
import type { SigningKeyChange, SigningKeyRow, SigningKeyStore } from '../store/index.js';
import type { HeldKey } from '../signing/key-holder.js';
import { statementOf } from './key-set-statements.js';

/** Location of the private key, for keys that a change adds. */
export interface Held {
  readonly holder: string;
  /** Null for a key without its private key. */
  readonly reference: string | null;
}

/** The key history in the database; each entry is read only once. */
export class KeyHistoryLog {
  readonly nodeId: string;
  readonly #store: SigningKeyStore;
  #entries: readonly KeyHistoryEntry[] = [];

  constructor(nodeId: string, store: SigningKeyStore) {
    this.nodeId = nodeId;
    this.#store = store;
  }

  /** All current entries. */
  async read(): Promise<KeyHistoryEntries> {
    const known = this.#entries;
    const newer = (await this.#store.historyAfter(known.length)).map((json, at) =>
      parseKeyHistoryEntry(JSON.parse(json), known.length + at),
    );
    const entries = newer.length === 0 ? known : [...known, ...newer];
    if (entries.length > this.#entries.length) this.#entries = entries;
    return { nodeId: this.nodeId, entries };
  }

  /** The published document. */
  async document(): Promise<KeyHistoryDocument> {
    // Reads the statement first: entries added concurrently are pending, and no covered entry is missing.
    const statement = await this.#store.newestStatement();
    const { entries } = await this.read();
    return { type: KEY_HISTORY_TYPE, nodeId: this.nodeId, entries, ...statementOf(statement) };
  }
}

/** The time of the next entry: now, or that of the newest entry if the clock is slightly behind it. */
export function entryTime({ entries }: KeyHistoryEntries, now: Date): string {
  const [time, newest] = [now.toISOString(), entries.at(-1)?.issuedAt ?? ''];
  return time < newest ? newest : time;
}

/**
 * Converts changes of the key set to database rows: the entries, and the resulting keys.
 * @param held the location of each added key
 * @throws KeyError KEY_HISTORY_INVALID for a change that is impossible at this point
 */
export function planChange(
  history: KeyHistoryEntries,
  issuedAt: string,
  changes: readonly KeyChange[],
  held: ReadonlyMap<string, Held>,
): SigningKeyChange {
  const entries = [...history.entries];
  for (const change of changes) {
    entries.push(nextKeyHistoryEntry({ nodeId: history.nodeId, entries }, { issuedAt, change }));
  }
  const touched = new Set(changes.map(kidOf));
  const { keySet } = replayKeyHistory(history.nodeId, entries);
  return {
    keys: keySet.keys.filter(({ kid }) => touched.has(kid)).map((key) => rowOf(key, held.get(key.kid))),
    entries: entries.slice(history.entries.length).map((entry) => ({ seq: entry.seq, json: JSON.stringify(entry) })),
  };
}

/** The history entry of a new key. */
export function keyAdded({ kid, publicKey }: HeldKey, createdAt: string, notBefore: string): KeyChange {
  return {
    type: 'key-added',
    key: { kid, algorithm: 'Ed25519', publicKey: toSpkiBase64(publicKey), createdAt, notBefore },
  };
}

function kidOf(change: KeyChange): string | null {
  if (change.type === 'key-added') return change.key.kid;
  return change.type === 'root-added' ? null : change.kid;
}

/** For a known key the store keeps holder and reference. */
function rowOf(key: KeySetDocumentEntry, held: Held = { holder: '', reference: null }): SigningKeyRow {
  return {
    kid: key.kid,
    publicKey: key.publicKey,
    status: key.status,
    createdAt: key.createdAt,
    notBefore: key.notBefore,
    retiredAt: key.retiredAt ?? null,
    revokedAt: key.revokedAt ?? null,
    compromisedSince: key.compromisedSince ?? null,
    revocationReason: key.revocationReason ?? null,
    contextUnprotectedBefore: key.contextUnprotectedBefore ?? null,
    ...held,
  };
}
