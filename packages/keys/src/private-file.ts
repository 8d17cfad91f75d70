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
} from 'node:fs';
import { dirname } from 'node:path';

// Files of one owner: mode 0600, whole or not at all, also after a loss of power.

const OWNER_ONLY = 0o600;

/** Makes a file unless it is there, and its folder: of two starting processes, one creates it. */
export function makePrivateFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    createPrivateFile(path, text);
  } catch (error) {
    if (!existsSync(path)) throw error;
  }
}

/** Creates a file: `link`, unlike `rename`, never replaces one. @throws EEXIST when the path exists */
export function createPrivateFile(path: string, text: string): void {
  putInPlace(path, text, (draft) => {
    linkSync(draft, path);
  });
}

/** Replaces a file, or makes it in a folder that is there. */
export function replacePrivateFile(path: string, text: string): void {
  putInPlace(path, text, (draft) => {
    renameSync(draft, path);
  });
}

function putInPlace(path: string, text: string, put: (draft: string) => void): void {
  // A random name: containers share folders and process ids, and a killed process may have left its draft.
  const draft = `${path}.${randomUUID()}.draft`;
  try {
    writeDraft(draft, text);
    put(draft);
    syncFolder(dirname(path));
  } finally {
    rmSync(draft, { force: true });
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
