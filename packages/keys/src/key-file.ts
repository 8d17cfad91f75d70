import { closeSync, constants, fstatSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { KeyError } from './key-error.js';
import { errorCodeOf } from './error-code.js';
import { createPrivateFile, isPrivate, replacePrivateFile } from './private-file.js';

// Key files on disk: accessible to their owner only, written atomically.

const OWNER_ONLY = 0o600;
const MAX_BYTES = 1024 * 1024;

/**
 * Reads a key file.
 * @throws KeyError KEY_FILE_NOT_FOUND; KEY_FILE_PERMISSIONS when users have access beside the owner, or the
 *   group of a file of root; KEY_FILE_INVALID
 */
export function readPrivately(path: string): string {
  const file = openForReading(path);
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw new KeyError('KEY_FILE_INVALID', `key file ${path}: must be a regular file`);
    if (!isPrivate(found)) {
      throw new KeyError(
        'KEY_FILE_PERMISSIONS',
        `key file ${path}: users other than its owner have access. Run: chmod 600 ${path}. If others may have read it, revoke its keys`,
      );
    }
    if (found.size > MAX_BYTES) throw new KeyError('KEY_FILE_INVALID', `key file ${path}: must be at most 1 MiB`);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

function openForReading(path: string): number {
  try {
    // Without O_NONBLOCK, opening a named pipe would wait for its writer forever.
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (cause) {
    switch (errorCodeOf(cause)) {
      case 'ENOENT':
        throw new KeyError('KEY_FILE_NOT_FOUND', `key file ${path}: not found. Create it first, or correct the path`);
      case 'EACCES':
      case 'EPERM':
        throw new KeyError('KEY_FILE_PERMISSIONS', `key file ${path}: not readable by this user, who must own it`);
      default:
        throw new KeyError('KEY_FILE_INVALID', `key file ${path}: cannot be opened (${errorCodeOf(cause)})`);
    }
  }
}

/**
 * Creates a key file.
 * @throws KeyError KEY_FILE_EXISTS, KEY_FILE_UNWRITABLE
 */
export function writeOnce(path: string, text: string): void {
  try {
    createPrivateFile(path, text);
  } catch (cause) {
    if (errorCodeOf(cause) === 'EEXIST') {
      throw new KeyError(
        'KEY_FILE_EXISTS',
        `key file ${path}: exists already and is never overwritten. Open it, or choose another path`,
      );
    }
    throw new KeyError(
      'KEY_FILE_UNWRITABLE',
      `key file ${path}: cannot be written (${errorCodeOf(cause)}). Its folder must exist, be writable and be on a file system with hard links`,
    );
  }
}

/**
 * Replaces the content of a key file. The old bytes are overwritten, which is effective on file systems that write in
 * place.
 * @throws KeyError KEY_FILE_UNWRITABLE; the file is then unchanged
 */
export function replacePrivately(path: string, text: string): void {
  try {
    const old = openSync(path, 'r+');
    try {
      replacePrivateFile(path, text);
      writeSync(old, Buffer.alloc(fstatSync(old).size), 0, null, 0);
      fsyncSync(old);
    } finally {
      closeSync(old);
    }
  } catch (cause) {
    throw new KeyError(
      'KEY_FILE_UNWRITABLE',
      `key file ${path}: cannot be replaced (${errorCodeOf(cause)}). It and its folder must be writable by this user`,
    );
  }
}

/**
 * Runs work under an exclusive lock on the key file.
 * @throws KeyError KEY_FILE_UNWRITABLE when another process holds the lock
 */
export function whileLocked<T>(path: string, work: () => T): T {
  const lock = `${path}.lock`;
  try {
    closeSync(openSync(lock, 'wx', OWNER_ONLY));
  } catch (cause) {
    throw new KeyError(
      'KEY_FILE_UNWRITABLE',
      errorCodeOf(cause) === 'EEXIST'
        ? `key file ${path}: another process is changing it. If no process is, remove ${lock}`
        : `key file ${path}: its folder must be writable by this user (${errorCodeOf(cause)})`,
    );
  }
  try {
    return work();
  } finally {
    rmSync(lock, { force: true });
  }
}
