// Browsers that behave as on another machine: copies with changed code, and the browser with other settings.
import { createHash } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** Where Skia's reader of processor features lies in the builds of Chromium that we have read, by their SHA-256. */
const KNOWN_BUILDS = new Map([
  // 156.0.8078.79, Debian 12
  ['4d1f1a622e8959652153e2f450f93d6d811d562e1600f112b446197651458403', 0x4f14160],
  // 156.0.8078.108, Debian 12
  ['68e4e810d1220be38236054b816eafaddeed6e9abb250acb68cae5b47c8058e2', 0x4f14120],
]);

/** Jumps of Skia's reader, made unconditional: it then reports a processor without the feature. */
const PATCHES = {
  'without AVX-512': { at: 0xd9, from: '7546', to: 'eb46' },
  'without AVX': { at: 0x73, from: '0f85a8000000', to: '90e9a8000000' },
};

/** A copy of the browser in which Skia takes the code of an older processor. */
export function skiaVariant(browser, path) {
  const bytes = readFileSync(browser);
  const reader = KNOWN_BUILDS.get(createHash('sha256').update(bytes).digest('hex'));
  if (reader === undefined) return 'the browser is not a build that we have read';
  const { at, from, to } = PATCHES[path];
  const offset = reader + at;
  const length = from.length / 2;
  if (bytes.subarray(offset, offset + length).toString('hex') !== from)
    throw new Error(`no jump to patch at ${offset} of ${browser}`);
  bytes.write(to, offset, 'hex');
  return makeVariant((folder) => {
    for (const name of readdirSync(dirname(browser)))
      if (name !== basename(browser)) symlinkSync(join(dirname(browser), name), join(folder, name));
    writeFileSync(join(folder, 'browser'), bytes, { mode: 0o755 });
  });
}

/** The browser started by a script: with other flags, or after a line of shell. */
export function wrappedVariant(browser, { before = '', flags = '' }) {
  return makeVariant((folder) => {
    writeFileSync(join(folder, 'browser'), `#!/bin/sh\n${before}\nexec ${browser} "$@" ${flags}\n`, { mode: 0o755 });
  });
}

/** The jailed user must be able to read it. */
function makeVariant(fill) {
  const folder = mkdtempSync(join(tmpdir(), 'cer-browser-'));
  chmodSync(folder, 0o755);
  fill(folder);
  chmodSync(join(folder, 'browser'), 0o755);
  return {
    path: join(folder, 'browser'),
    remove() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
