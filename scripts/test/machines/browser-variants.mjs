// Browsers that behave as on another machine: copies with changed code, and the browser with other settings.
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/**
 * How Skia's reader of processor features begins, in each Chromium 156 of Debian 12 that was read: it asks for the vendor
 * of the processor and compares it with `AuthenticAMD`.
 */
const READER = Buffer.from('31c04887f30fa24887f381f64175746881f2656e746909f2750a81f963414d44', 'hex');

/**
 * Jumps of Skia's reader, `at` bytes behind its beginning, made unconditional: it then reports a processor without the
 * feature.
 */
const PATCHES = {
  'without AVX-512': { at: 0xd8, from: '7546', to: 'eb46' },
  'without AVX': { at: 0x72, from: '0f85a8000000', to: '90e9a8000000' },
};

/** A copy of the browser in which Skia takes the code of an older processor. */
export function skiaVariant(browser, path) {
  const bytes = readFileSync(browser);
  const reader = bytes.indexOf(READER);
  const { at, from, to } = PATCHES[path];
  const offset = reader + at;
  const length = from.length / 2;
  if (reader === -1 || bytes.subarray(offset, offset + length).toString('hex') !== from)
    return 'the browser is not a build that we have read';
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
