import { expect, it } from '@jest/globals';
import { resolveBrowser } from '../../src/browser/resolve.js';
import { ENGINES } from '../../src/sandbox/page-bundle.js';
import { startRenderer } from '../renderer-under-test.js';
import { describeWithBrowser } from '../with-browser.js';
import { SKIA_PATHS, skiaVariant, wrappedVariant, type BrowserVariant } from './browser-variants.js';
import { drawRow, GALLERY, pinOf } from './gallery.js';

/** Blending, gradients, scaling, chaos: what shows the processor first. `GALLERY_ALL=1` draws every sketch. */
const SENSITIVE = ['blend-modes', 'gradients-and-shadow', 'image-and-copy', 'de-jong', 'power-orbits', 'lorenz'];
const ROWS = process.env['GALLERY_ALL'] === '1' ? GALLERY : GALLERY.filter(({ name }) => SENSITIVE.includes(name));

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
  it.each(SKIA_PATHS)('is the same where Skia runs %s', async (path) => {
    const variant = skiaVariant((await resolveBrowser(process.env['CHROMIUM_PATH'])).path, path);
    if (typeof variant === 'string') {
      process.stderr.write(`not run: Skia ${path}: ${variant}\n`);
      expect(variant).toMatch(/^the browser is not the build/);
      return;
    }
    await expectPins(variant);
  });

  it.each([
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
  ])('is the same where %s', async (_name, change) => {
    await expectPins(wrappedVariant((await resolveBrowser(process.env['CHROMIUM_PATH'])).path, change));
  });
});
