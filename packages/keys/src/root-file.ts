import { KeyError } from './key-error.js';
import { freshKey, loadKey, NativeSigner } from './native-signer.js';
import { isJsonObject, ownMember } from './own-member.js';
import { readPrivately, writeOnce } from './private-file.js';
import type { Signer } from './signer.js';

/** Key files have no member `type`, so neither file can be read as the other. */
const ROOT_FILE_TYPE = 'svc.root-key-file.v1';

/**
 * Creates a file with one new root key, which signs key set statements and never receipts. The write is atomic, the
 * file is readable by its owner only and never overwritten.
 * @throws KeyError KEY_FILE_EXISTS, KEY_FILE_UNWRITABLE
 * @see docs/spec.md, "Key history"
 */
export function createRootFile(path: string, now: Date): Signer {
  const { kid, privateKey, createdAt } = freshKey(now);
  const text = `${JSON.stringify({ type: ROOT_FILE_TYPE, kid, privateKey, createdAt }, null, 2)}\n`;
  const root = openText(path, text);
  writeOnce(path, text);
  return root;
}

/**
 * Opens a file created by {@link createRootFile}.
 * @throws KeyError KEY_FILE_NOT_FOUND; KEY_FILE_PERMISSIONS when any user but the owner has access; KEY_FILE_INVALID,
 * naming the member and the rule
 */
export function openRootFile(path: string): Signer {
  return openText(path, readPrivately(path));
}

function openText(path: string, text: string): Signer {
  const refuse = (rule: string): KeyError => new KeyError('KEY_FILE_INVALID', `root key file ${path}: ${rule}`);
  const value = parseJson(text, refuse);
  if (!isJsonObject(value) || ownMember(value, 'type') !== ROOT_FILE_TYPE) {
    throw refuse(`type must be "${ROOT_FILE_TYPE}": is it the key file of a node?`);
  }
  const member = (name: string): string => {
    const read = ownMember(value, name);
    if (typeof read !== 'string') throw refuse(`${name} must be a string`);
    return read;
  };
  const createdAt = member('createdAt');
  const key = { kid: member('kid'), privateKey: member('privateKey'), createdAt, notBefore: createdAt };
  const { published, privateKey } = loadKey({ ...key, status: 'active' }, refuse);
  return new NativeSigner(published.kid, published.publicKey, privateKey);
}

function parseJson(text: string, refuse: (rule: string) => KeyError): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the text around the fault, which may be a private key.
    throw refuse('must hold JSON');
  }
}
