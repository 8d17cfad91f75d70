import { createHash, randomBytes } from 'node:crypto';
import { readSecretFile } from '@cer/http-service/config';
import { OperatorError } from '@cer/http-service/process';
import { makePrivateFile, replacePrivateFile } from '@cer/keys/private-file';

const KEY_BYTES = 32;
const FORM = /^[A-Za-z0-9_-]{43}(\n[A-Za-z0-9_-]{43})?$/;

/** A key of AES-256. */
export interface SecretsKey {
  /** The first 12 base64url characters of its SHA-256. */
  readonly keyId: string;
  readonly key: Uint8Array;
}

/** A secrets file that cannot be used; the message names the file and the rule, never its content. */
export class SecretsFileError extends OperatorError {
  override readonly name = 'SecretsFileError';
}

/**
 * Reads the keys of stored secrets: the current one, and the one before it.
 * @throws SecretFileError when the file cannot be read or is open to others
 * @throws SecretsFileError when it holds no such keys
 */
export function readSecretsFile(path: string): readonly SecretsKey[] {
  const text = readSecretFile(path).reveal().replaceAll('\r', '');
  if (!FORM.test(text)) {
    throw new SecretsFileError(`secrets file ${path} must be one or two lines of 32 bytes in base64url`);
  }
  return text.split('\n').map((line) => {
    const key = Buffer.from(line, 'base64url');
    return { key, keyId: createHash('sha256').update(key).digest('base64url').slice(0, 12) };
  });
}

/** Makes the file with one key, mode 0600, unless it is there. */
export function ensureSecretsFile(path: string): void {
  makePrivateFile(path, `${newKey()}\n`);
}

/** Puts a new key before the current one; the one before that is gone. */
export function addSecretsKey(path: string): void {
  const [current] = readSecretsFile(path);
  replacePrivateFile(path, [newKey(), ...(current === undefined ? [] : [textOf(current)]), ''].join('\n'));
}

function newKey(): string {
  return randomBytes(KEY_BYTES).toString('base64url');
}

function textOf({ key }: SecretsKey): string {
  return Buffer.from(key).toString('base64url');
}
