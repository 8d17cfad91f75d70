import type { Signer } from './signer.js';
import { createSingleKeyFile, openSingleKeyFile } from './single-key-file.js';

const ROOT_FILE_TYPE = 'svc.root-key-file.v1';

/**
 * Creates a file with one new root key, which signs key set statements and never receipts.
 * @throws KeyError KEY_FILE_EXISTS, KEY_FILE_UNWRITABLE
 * @see docs/spec.md, "Key history"
 */
export function createRootFile(path: string, now: Date): Signer {
  return createSingleKeyFile(ROOT_FILE_TYPE, path, now);
}

/**
 * Opens a file created by {@link createRootFile}.
 * @throws KeyError KEY_FILE_NOT_FOUND; KEY_FILE_PERMISSIONS when any user but the owner has access; KEY_FILE_INVALID,
 * naming the member and the rule
 */
export function openRootFile(path: string): Signer {
  return openSingleKeyFile(ROOT_FILE_TYPE, path);
}
