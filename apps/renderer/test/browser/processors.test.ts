import { expect, it } from '@jest/globals';
import {
  skiaVariant,
  wrappedVariant,
  type BrowserVariant,
} from '../../../../scripts/test/machines/browser-variants.mjs';
import { resolveBrowser } from '../../src/browser/resolve.js';
import { ENGINES } from '../../src/sandbox/page-bundle.js';
import { startRenderer } from '../renderer-under-test.js';
import { describeWithBrowser } from '../with-browser.js';
import { drawRow, GALLERY, pinOf } from './gallery.js';

// `npm run test:machines` draws every sketch, on more machines.

/** Blending, gradients, chaos: the sketches that differ first between processors. */
const SENSITIVE = ['blend-modes', 'gradients-and-shadow', 'de-jong'];
const ROWS = GALLERY.filter(({ name }) => SENSITIVE.includes(name));
const TIMEOUT = 60_000 * ROWS.length;

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
  it(
    'is the same where Skia runs without AVX',
    async () => {
      const variant = skiaVariant((await resolveBrowser(process.env['CHROMIUM_PATH'])).path, 'without AVX');
      if (typeof variant === 'string') {
        process.stderr.write(`not run: Skia without AVX: ${variant}\n`);
        expect(variant).toMatch(/^the browser is not a build/);
        return;
      }
      await expectPins(variant);
    },
    TIMEOUT,
  );

  it(
    'is equal where libc uses fused multiply-add',
    async () => {
      const { path } = await resolveBrowser(process.env['CHROMIUM_PATH']);
      await expectPins(wrappedVariant(path, { before: 'unset GLIBC_TUNABLES' }));
    },
    TIMEOUT,
  );
});
