import { expect, it } from '@jest/globals';
import { resolveBrowser } from '../../src/browser/resolve.js';
import { ENGINES } from '../../src/sandbox/page-bundle.js';
import { startRenderer } from '../renderer-under-test.js';
import { describeWithBrowser } from '../with-browser.js';
import { SKIA_PATHS, skiaVariant, wrappedVariant, type BrowserVariant } from './browser-variants.js';
import { drawRow, GALLERY, pinOf } from './gallery.js';

/** Blending, gradients, chaos: what differs between processors first. */
const SENSITIVE = ['blend-modes', 'gradients-and-shadow', 'de-jong'];

/** `GALLERY_ALL=1` draws every sketch on every processor, which takes minutes: `npm run test:gallery`. */
const ALL = process.env['GALLERY_ALL'] === '1';
const ROWS = ALL ? GALLERY : GALLERY.filter(({ name }) => SENSITIVE.includes(name));
const TIMEOUT = 60_000 * ROWS.length;
const PATHS = ALL ? SKIA_PATHS : SKIA_PATHS.slice(-1);

/** Settings of the C library and of V8's compilers, the one that differs most between real machines first. */
const SETTINGS: readonly (readonly [string, Parameters<typeof wrappedVariant>[1]])[] = [
  ['the C library uses fused multiply-add where it can', { before: 'unset GLIBC_TUNABLES' }],
  [
    'the C library uses none of the newer instructions',
    { before: 'export GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX,-AVX2,-FMA,-FMA4,-SSE4_1' },
  ],
  [
    'WebAssembly runs on the baseline compiler alone',
    { flags: "--js-flags='--max-old-space-size=512 --liftoff-only'" },
  ],
  [
    'WebAssembly runs on the optimising compiler alone',
    { flags: "--js-flags='--max-old-space-size=512 --no-liftoff --no-wasm-tier-up'" },
  ],
  [
    'JavaScript is not compiled',
    { flags: "--js-flags='--max-old-space-size=512 --no-sparkplug --no-maglev --no-turbofan'" },
  ],
];

async function expectPins(variant: BrowserVariant): Promise<void> {
  const renderer = await startRenderer({ CHROMIUM_PATH: variant.path });
  try {
    const { version } = await renderer.engine.host.current();
    for (const engine of ENGINES)
      for (const row of ROWS) {
        const pin = pinOf(row, engine, version);
        // The browser's own engine has pins for two versions.
        if (pin !== undefined)
          expect([row.name, await drawRow(renderer, row, 'processors', engine)]).toEqual([row.name, pin]);
        else expect(engine).toBe('chromium-native');
      }
  } finally {
    await renderer.close();
    variant.remove();
  }
}

describeWithBrowser('The gallery on another processor', () => {
  it.each(PATHS)(
    'is the same where Skia runs %s',
    async (path) => {
      const variant = skiaVariant((await resolveBrowser(process.env['CHROMIUM_PATH'])).path, path);
      if (typeof variant === 'string') {
        process.stderr.write(`not run: Skia ${path}: ${variant}\n`);
        expect(variant).toMatch(/^the browser is not the build/);
        return;
      }
      await expectPins(variant);
    },
    TIMEOUT,
  );

  it.each(ALL ? SETTINGS : SETTINGS.slice(0, 1))(
    'is the same where %s',
    async (_name, change) => {
      await expectPins(wrappedVariant((await resolveBrowser(process.env['CHROMIUM_PATH'])).path, change));
    },
    TIMEOUT,
  );
});
