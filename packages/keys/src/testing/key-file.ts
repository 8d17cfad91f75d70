import { KeyError } from '../key-error.js';
import { readKeyFile, writeKeyFile } from '../key-file-format.js';
import { formatKeySet, type KeySetDocument } from '../key-set-document.js';
import { freshKey, loadKey, NativeSigner } from '../native-signer.js';
import { readPrivately, writeOnce } from '../key-file.js';
import type { Signer } from '../signer.js';

// A key file with one signer, for tests and benchmarks. Services open key files as a vault.

/** A key file in memory. Neither JSON nor inspection prints its private keys. */
export interface OpenedKeyFile {
  readonly nodeId: string;
  /** Signs with the active key. */
  readonly signer: Signer;
  /** The document that the node publishes. */
  readonly keySet: KeySetDocument;
}

/**
 * Creates a key file with one new active key. The write is atomic and the file readable by its owner only; of two
 * concurrent creators exactly one succeeds.
 * @param options `nodeId`: the node that owns the keys; `now`: start of the key's life
 * @throws KeyError KEY_FILE_EXISTS when the path is taken (it is never overwritten), KEY_FILE_UNWRITABLE
 */
export function createKeyFile(path: string, options: { readonly nodeId: string; readonly now: Date }): OpenedKeyFile {
  // Parsed before it is written, so that no file is created that `openKeyFile` would reject.
  const text = writeKeyFile({ nodeId: options.nodeId, keys: [freshKey(options.now)] });
  const opened = openText(path, text);
  writeOnce(path, text);
  return opened;
}

/**
 * Opens a key file.
 * @throws KeyError KEY_FILE_NOT_FOUND; KEY_FILE_PERMISSIONS when any user but the owner has access; KEY_FILE_INVALID,
 * naming the member and the rule
 */
export function openKeyFile(path: string): OpenedKeyFile {
  return openText(path, readPrivately(path));
}

function openText(path: string, text: string): OpenedKeyFile {
  const refuse = (rule: string): KeyError => new KeyError('KEY_FILE_INVALID', `key file ${path}: ${rule}`);
  const { nodeId, keys } = readKeyFile(text, refuse);
  const loaded = keys.map((key, at) => loadKey(key, (rule) => refuse(`keys[${at}]: ${rule}`)));
  if (new Set(keys.map(({ kid }) => kid)).size < keys.length) throw refuse('keys must not hold the same key twice');
  const active = loaded.filter(({ published }) => published.status === 'active');
  const [current] = active;
  if (current === undefined || active.length > 1) throw refuse(`exactly one key must be active, not ${active.length}`);
  const { published, privateKey } = current;
  return {
    nodeId,
    signer: new NativeSigner(published.kid, published.publicKey, privateKey),
    keySet: formatKeySet({ nodeId, activeKid: published.kid, keys: loaded.map((key) => key.published) }),
  };
}
