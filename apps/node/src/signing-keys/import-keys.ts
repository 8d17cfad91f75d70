import type { KeyHistoryEntries } from '@cer/cer-core/logs';
import { toSpkiBase64, type Signer } from '@cer/keys';
import { REVOCATION_REASONS, replayKeyHistory, type KeyChange } from '@cer/keys/key-history';
import type { KeyVault } from '@cer/keys/file-signer';
import { StartupError } from '../errors/startup-error.js';
import type { SigningKeyStore } from '../store/index.js';
import { entryTime, keyAdded, planChange, type Held, type KeyHistoryLog } from './key-history-log.js';
import type { SigningKeyHolder } from '../signing/key-holder.js';

export interface ImportDeps {
  readonly store: SigningKeyStore;
  readonly history: KeyHistoryLog;
  readonly vault: KeyVault;
  /** Holder that creates a key when the file has none. */
  readonly holder: SigningKeyHolder;
  readonly root: Signer | null;
  readonly now: () => Date;
}

/** Maximum retries after a concurrently starting node wrote first. */
const ATTEMPTS = 20;

/**
 * Starts the key history with the keys of KEYS_FILE, or with a new one, and adds a new root key. Of nodes that start
 * concurrently, one does it.
 * @throws StartupError when KEYS_FILE or ROOT_KEY_FILE belongs to another node's keys
 */
export async function importKeys(deps: ImportDeps): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const entries = await deps.history.read();
    const time = entryTime(entries, deps.now());
    const held = new Map<string, Held>();
    const changes = [...rootChanges(entries, deps.root), ...(await keyChanges(deps, entries, time, held))];
    if (changes.length === 0 || (await deps.store.change(planChange(entries, time, changes, held)))) return;
  }
  throw new StartupError('other nodes changed the signing keys every time: start again');
}

function rootChanges({ nodeId, entries }: KeyHistoryEntries, root: Signer | null): KeyChange[] {
  if (root === null) return [];
  const { roots } = replayKeyHistory(nodeId, entries);
  if (roots.get(root.kid)?.status === 'live') return [];
  if (roots.size > 0)
    throw new StartupError('ROOT_KEY_FILE: holds no root key that counts in the key history of this node');
  return [{ type: 'root-added', root: { kid: root.kid, publicKey: toSpkiBase64(root.publicKey) } }];
}

async function keyChanges(
  { vault, holder }: ImportDeps,
  { nodeId, entries }: KeyHistoryEntries,
  time: string,
  held: Map<string, Held>,
): Promise<KeyChange[]> {
  const known = replayKeyHistory(nodeId, entries).keySet.keys;
  if (known.length > 0) {
    const kids = new Set(known.map(({ kid }) => kid));
    if (vault.keys.every(({ kid }) => kids.has(kid))) return [];
    throw new StartupError(
      'KEYS_FILE: holds a signing key that this database does not know. Every node of a database must be given the same file',
    );
  }
  const changes: KeyChange[] = [];
  for (const key of vault.keys) {
    const { kid, publicKey, status, createdAt, notBefore, contextUnprotectedBefore } = key;
    held.set(kid, { holder: 'file', reference: status === 'active' ? vault.seal(kid) : null });
    const since = contextUnprotectedBefore === undefined ? {} : { contextUnprotectedBefore };
    const added = { kid, algorithm: 'Ed25519', publicKey: toSpkiBase64(publicKey), createdAt, notBefore } as const;
    changes.push({ type: 'key-added', key: { ...added, ...since } });
    if (status === 'active') changes.push({ type: 'key-activated', kid });
    else if (key.retiredAt !== undefined || status === 'retired') {
      changes.push({ type: 'key-retired', kid, retiredAt: key.retiredAt ?? time });
    }
    if (status === 'revoked') {
      const reason = REVOCATION_REASONS.find((known) => known === key.revocationReason) ?? 'unspecified';
      const compromised = key.compromisedSince === undefined ? {} : { compromisedSince: key.compromisedSince };
      changes.push({ type: 'key-revoked', kid, revokedAt: key.revokedAt ?? time, reason, ...compromised });
    }
  }
  if (changes.some(({ type }) => type === 'key-activated')) return changes;
  const made = await holder.create();
  held.set(made.kid, { holder: holder.name, reference: made.reference });
  return [...changes, keyAdded(made, time, time), { type: 'key-activated', kid: made.kid }];
}
