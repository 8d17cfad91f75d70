import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  type Stats,
} from 'node:fs';
import { dirname } from 'node:path';
import { errorCodeOf } from './error-code.js';

// Files of one owner: mode 0600, whole or not at all, also after a loss of power.

const OWNER_ONLY = 0o600;

/**
 * Whether no user beside the service has access to a file. Orchestrators mount secrets as files of root that the
 * service's group may read: there, access of the group is access of the service alone. A file of any other owner is
 * private when only the owner has access.
 */
export function isPrivate({ mode, uid }: Stats): boolean {
  const mountedSecret = uid === 0 && process.geteuid?.() !== 0;
  return (mode & (mountedSecret ? 0o037 : 0o077)) === 0;
}

/** A file cannot be written; the message says what it needs. */
export class PrivateFileError extends Error {
  override readonly name = 'PrivateFileError';
  /** Services print and log the message. */
  readonly forOperator = true;
  /** Of the system, such as `EACCES`; `EEXIST` for a file that is there and is not replaced. */
  readonly code: string;
  constructor(path: string, code: string) {
    super(`${path}: cannot be written (${code}). Its folder must be writable and on a file system with hard links`);
    this.code = code;
  }
}

/** Makes the folder of a file. @throws PrivateFileError */
export function makeFolderOf(path: string): void {
  orUnwritable(path, () => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  });
}

/**
 * Makes a file unless it is there, and its folder: of two starting processes, one creates it.
 * @throws PrivateFileError
 */
export function makePrivateFile(path: string, text: string): void {
  makeFolderOf(path);
  try {
    createPrivateFile(path, text);
  } catch (error) {
    if (!existsSync(path)) throw error;
  }
}

/** Creates a file: `link`, unlike `rename`, never replaces one. @throws PrivateFileError */
export function createPrivateFile(path: string, text: string): void {
  putInPlace(path, text, (draft) => {
    linkSync(draft, path);
  });
}

/** Replaces a file, or makes it in a folder that is there. @throws PrivateFileError */
export function replacePrivateFile(path: string, text: string): void {
  putInPlace(path, text, (draft) => {
    renameSync(draft, path);
  });
}

function putInPlace(path: string, text: string, put: (draft: string) => void): void {
  // A random name: containers share folders and process ids, and a killed process may have left its draft.
  const draft = `${path}.${randomUUID()}.draft`;
  orUnwritable(path, () => {
    try {
      writeDraft(draft, text);
      put(draft);
      syncFolder(dirname(path));
    } finally {
      rmSync(draft, { force: true });
    }
  });
}

function orUnwritable(path: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    throw new PrivateFileError(path, errorCodeOf(error));
  }
}

function writeDraft(draft: string, text: string): void {
  const file = openSync(draft, 'wx', OWNER_ONLY);
  try {
    // Some folders have their own default rights.
    fchmodSync(file, OWNER_ONLY);
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
