// The machines that the gallery is drawn on: browsers of two versions, code paths of Skia, of the C library and of V8, and
// Node.js on two processors.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ensureBrowser, ensurePackagedBrowser } from '../../browser.mjs';
import { ensureArmNode } from './arm64-node.mjs';
import { openBrowserMachine } from './browser-machine.mjs';
import { skiaVariant, wrappedVariant } from './browser-variants.mjs';
import { nodeMachine } from './node-machine.mjs';

/**
 * A machine that draws. `draw` gives the hash of a gallery row's pixels or animation; `engines` are those it draws with.
 * @typedef {{version: string, engines: readonly string[],
 *   draw: (engine: string, row: object) => Promise<string>, close: () => Promise<void>}} Machine
 */

const HEAP = '--max-old-space-size=512';
const withFlags = (flags) => (browser) => wrappedVariant(browser, { flags: `--js-flags='${HEAP} ${flags}'` });
const withTunables = (before) => (browser) => wrappedVariant(browser, { before });

/**
 * By name: its description, and the function that opens it. @type {readonly {name: string, what: string, open: () =>
 * Promise<Machine | string>}[]}
 */
export const ROWS = [
  { name: 'chromium', what: 'as installed', open: () => installed((path) => ({ path, remove: () => undefined })) },
  {
    name: 'skia-avx2',
    what: 'Skia without AVX-512 (patched copy)',
    open: () => installed((path) => skiaVariant(path, 'without AVX-512')),
  },
  {
    name: 'skia-sse',
    what: 'Skia without AVX (patched copy)',
    open: () => installed((path) => skiaVariant(path, 'without AVX')),
  },
  {
    name: 'libm-fma',
    what: 'C library with fused multiply-add where there is any',
    open: () => installed(withTunables('unset GLIBC_TUNABLES')),
  },
  {
    name: 'libm-sse2',
    what: 'C library without all newer instructions',
    open: () => installed(withTunables('export GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX,-AVX2,-FMA,-FMA4,-SSE4_1')),
  },
  {
    name: 'liftoff',
    what: 'WebAssembly by the baseline compiler alone',
    open: () => installed(withFlags('--liftoff-only')),
  },
  {
    name: 'turbofan',
    what: 'WebAssembly by the optimising compiler alone',
    open: () => installed(withFlags('--no-liftoff --no-wasm-tier-up')),
  },
  {
    name: 'interpreter',
    what: 'JavaScript not compiled',
    open: () => installed(withFlags('--no-sparkplug --no-maglev --no-turbofan')),
  },
  { name: 'older-chromium', what: 'the packaged Chromium', open: () => packaged() },
  { name: 'node', what: `Node.js on ${process.arch}`, open: async () => nodeMachine(process.execPath) },
  {
    name: 'node-arm64',
    what: 'Node.js on arm64 under qemu',
    open: async () => {
      const program = ensureArmNode();
      return typeof program === 'string' ? nodeMachine(program) : program.reason;
    },
  },
];

/** @param change makes the browser of the machine, or says why it cannot */
async function installed(change) {
  const found = await ensureBrowser({ log: () => undefined });
  if (found.path === undefined) return found.reason;
  const variant = change(found.path);
  return typeof variant === 'string' ? variant : openBrowserMachine(variant);
}

async function packaged() {
  const found = await ensurePackagedBrowser({ log: () => undefined });
  if (found.path === undefined) return found.reason;
  const libraries = join(dirname(found.path), 'lib');
  const before = existsSync(libraries) ? `export LD_LIBRARY_PATH=${libraries}` : '';
  return openBrowserMachine(wrappedVariant(found.path, { before }));
}
