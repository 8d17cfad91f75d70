import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The folder that holds everything the services keep, open to its owner only. */
export function openDataFolder(root, env = process.env) {
  const folder = resolve(root, env.CER_DATA_DIR || '.data');
  const path = (...names) => join(folder, ...names);
  for (const name of ['', 'node', 'bridge', 'dashboard', 'witness', 'logs'])
    mkdirSync(path(name), { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
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
  writeFileSync(aside, text, { mode: 0o600 });
  renameSync(aside, file);
}

export function removeFile(file) {
  rmSync(file, { force: true });
}
