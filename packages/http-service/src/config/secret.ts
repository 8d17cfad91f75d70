import { createHash, timingSafeEqual } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { OperatorError } from '../errors/operator-error.js';

/** A value that prints as `[secret]` in every conversion to text; only `reveal()` returns it. */
export class Secret<T> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  reveal(): T {
    return this.#value;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [inspect.custom](): string {
    return '[secret]';
  }
}

/** A secret file that cannot be used; the message names the file and the rule, never its content. */
export class SecretFileError extends OperatorError {
  override readonly name = 'SecretFileError';
}

/** Not the group's bits: Kubernetes mounts secrets as 0440 of root and the pod's `fsGroup`, under another user. */
const OPEN_TO_OTHERS = 0o007;

/**
 * Reads a secret from a UTF-8 file, without its one trailing newline.
 * @throws SecretFileError when the file cannot be read, is open to other users, or is empty
 */
export function readSecretFile(path: string): Secret<string> {
  const text = readPrivately(path).replace(/\r?\n$/, '');
  if (text === '') throw new SecretFileError(`secret file ${path} is empty`);
  return new Secret(text);
}

export const CARRIED_WHOLE =
  'must have printable ASCII characters only, and no space at either end: clients send it in a header';

/** Whether a header carries it unchanged: other characters are altered, and spaces at the ends are dropped. */
export function isCarriedWhole(text: string): boolean {
  return /^(?! )[\x20-\x7e]*(?<! )$/.test(text);
}

/**
 * Reads a secret that is sent in a header.
 * @param variable the one that names the file, for the message
 * @throws SecretFileError as `readSecretFile` does, and when a header would alter the secret
 */
export function readTokenFile(variable: string, path: string): Secret<string> {
  try {
    const token = readSecretFile(path);
    if (!isCarriedWhole(token.reveal())) throw new SecretFileError(`secret file ${path} ${CARRIED_WHOLE}`);
    return token;
  } catch (error) {
    if (!(error instanceof SecretFileError)) throw error;
    throw new SecretFileError(`${variable}: ${error.message}`, { cause: error.cause });
  }
}

function readPrivately(path: string): string {
  let file: number;
  try {
    // Without waiting for the writer of a named pipe, which is refused below.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (cause) {
    throw new SecretFileError(`secret file ${path} cannot be opened: ${openFault(cause)}`, { cause });
  }
  try {
    // Checked on the open file, so that it cannot be replaced before it is read.
    const status = fstatSync(file);
    if (!status.isFile()) throw new SecretFileError(`secret file ${path} is not a file`);
    if ((status.mode & OPEN_TO_OTHERS) !== 0) {
      throw new SecretFileError(`secret file ${path} is open to every user: chmod 600 it`);
    }
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

function openFault(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'unknown reason';
  if (code === 'ENOENT') return 'it does not exist. Make it, or correct the path';
  if (code === 'EACCES') return 'this user may not read it. Correct its owner or mode, and those of its folders';
  return code;
}

/** Compares two secrets in a time that depends on neither, by their SHA-256 digests. */
export function equalSecret(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}
