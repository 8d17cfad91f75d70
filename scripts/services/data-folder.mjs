import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { SetupError } from '../setup/setup-error.mjs';

/**
 * The folder that holds everything the services keep, open to its owner only.
 * @throws {SetupError} when it cannot be written; so do the other functions
 */
export function openDataFolder(root, env = process.env) {
  const folder = resolve(root, env.CER_DATA_DIR || '.data');
  const path = (...names) => join(folder, ...names);
  writing(folder, () => {
    for (const name of ['', 'node', 'bridge', 'dashboard', 'witness', 'logs'])
      mkdirSync(path(name), { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
  });
  return { folder, path };
}

/** The secret in a file, created on first use. */
export function secretIn(file) {
  if (!existsSync(file)) writePrivately(file, `${randomBytes(32).toString('base64url')}\n`);
  return readFileSync(file, 'utf8').trim();
}

/** Writes a file that appears whole or not at all, readable by its owner only. */
export function writePrivately(file, text) {
  const aside = `${file}.${process.pid}`;
  writing(dirname(file), () => {
    writeFileSync(aside, text, { mode: 0o600 });
    renameSync(aside, file);
  });
}

export function removeFile(file) {
  writing(dirname(file), () => rmSync(file, { force: true }));
}

function writing(folder, work) {
  try {
    work();
  } catch (error) {
    const remedy = 'Make it writable for this user, or set CER_DATA_DIR to another folder.';
    throw new SetupError(`The data folder ${folder} cannot be written (${error.code}).`, remedy);
  }
}
