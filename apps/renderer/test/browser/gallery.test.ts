import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ENGINES, type EngineName } from '../../src/sandbox/page-bundle.js';
import { startRenderer, type RendererUnderTest } from '../renderer-under-test.js';
import { describeWithBrowser } from '../with-browser.js';
import { drawRow, GALLERY, pinOf, sketchFiles, type GalleryRow } from './gallery.js';
import { IS_LONG } from './long-tests.js';

/** Sketches that the browser's own engine draws in the short form; the portable engine, which certifies, draws all. */
const NATIVE = ['blend-modes', 'de-jong', 'filters', 'image-and-copy', 'pulse', 'typography'];
/**
 * How often each sketch is drawn, two at a time; the browser restarts three times where there are enough.
 * `npm run test:gallery` draws more than once.
 */
const RENDERS = Number(process.env['GALLERY_RENDERS'] ?? '1');
const RESTART_EVERY = Math.max(RENDERS / 4, 2);

function rowsOf(engine: EngineName): readonly GalleryRow[] {
  return IS_LONG || engine === 'portable' ? GALLERY : GALLERY.filter(({ name }) => NATIVE.includes(name));
}

describeWithBrowser('The gallery', () => {
  let renderer: RendererUnderTest;
  beforeAll(async () => {
    renderer = await startRenderer();
  });
  afterAll(async () => {
    await renderer.close();
  });

  it('has a pinned hash for every sketch', () => {
    expect(GALLERY.map(({ name }) => name).sort()).toEqual(sketchFiles().sort());
    expect(GALLERY.length).toBeGreaterThanOrEqual(34);
    expect(GALLERY.map(({ name }) => name)).toEqual(expect.arrayContaining(NATIVE));
  });

  it.each(ENGINES.flatMap((engine) => rowsOf(engine).map((row) => [row.name, engine, row] as const)))(
    `draws %s as pinned by %s, renders: ${RENDERS}`,
    async (_name, engine, row) => {
      const pin = pinOf(row, engine, (await renderer.engine.host.current()).version);
      const drawn = new Set<unknown>();
      // The browser's own engine can only be compared with itself in a version without pins.
      const renders = pin === undefined ? Math.max(RENDERS, 2) : RENDERS;
      for (let done = 0; done < renders; done += 2) {
        if (done > 0 && done % RESTART_EVERY === 0) await (await renderer.engine.host.current()).kill();
        const hashes = await Promise.all(
          ['gallery-1', 'gallery-2'].slice(0, renders - done).map((tenant) => drawRow(renderer, row, tenant, engine)),
        );
        for (const hash of hashes) drawn.add(hash);
      }
      expect([...drawn]).toEqual([pin ?? [...drawn][0]]);
    },
    100_000 * Math.max(RENDERS, 2),
  );
});
