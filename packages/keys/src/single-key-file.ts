import { KeyError } from './key-error.js';
import { freshKey, loadKey, NativeSigner } from './native-signer.js';
import { isJsonObject, ownMember } from './own-member.js';
import { readPrivately, writeOnce } from './key-file.js';
import type { Signer } from './signer.js';

/**
 * Creates a file with one new key. The write is atomic, the file is readable by its owner only and never overwritten.
 * @param type the purpose of the key: a file of another type is refused, and key files of nodes have no type
 * @throws KeyError KEY_FILE_EXISTS, KEY_FILE_UNWRITABLE
 */
export function createSingleKeyFile(type: string, path: string, now: Date): Signer {
  const { kid, privateKey, createdAt } = freshKey(now);
  const text = `${JSON.stringify({ type, kid, privateKey, createdAt }, null, 2)}\n`;
  const signer = openText(type, path, text);
  writeOnce(path, text);
  return signer;
}

/**
 * Opens a file created by {@link createSingleKeyFile} for the same purpose.
 * @throws KeyError KEY_FILE_NOT_FOUND; KEY_FILE_PERMISSIONS when any user but the owner has access; KEY_FILE_INVALID,
 * naming the member and the rule
 */
export function openSingleKeyFile(type: string, path: string): Signer {
  return openText(type, path, readPrivately(path));
}

function openText(type: string, path: string, text: string): Signer {
  const refuse = (rule: string): KeyError => new KeyError('KEY_FILE_INVALID', `key file ${path}: ${rule}`);
  const value = parseJson(text, refuse);
  if (!isJsonObject(value) || ownMember(value, 'type') !== type) {
    throw refuse(`type must be "${type}": is it the key file of a node?`);
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
