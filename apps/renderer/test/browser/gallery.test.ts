import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startRenderer, type RendererUnderTest } from '../renderer-under-test.js';
import { describeWithBrowser } from '../with-browser.js';
import { drawRow, GALLERY, pinOf, sketchFiles } from './gallery.js';

/** How often each sketch is drawn, two at a time; the browser restarts three times where there are enough. */
const RENDERS = Number(process.env['GALLERY_RENDERS'] ?? '2');
const RESTART_EVERY = Math.max(RENDERS / 4, 2);

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
  });

  it.each(GALLERY.map((row) => [row.name, row] as const))(
    `draws %s as pinned, ${RENDERS} times in separate pages`,
    async (_name, row) => {
      const drawn = new Set<unknown>();
      for (let done = 0; done < RENDERS; done += 2) {
        if (done > 0 && done % RESTART_EVERY === 0) await (await renderer.engine.host.current()).kill();
        const hashes = await Promise.all([drawRow(renderer, row, 'gallery-1'), drawRow(renderer, row, 'gallery-2')]);
        for (const hash of hashes) drawn.add(hash);
      }
      const { version } = await renderer.engine.host.current();
      // A browser version without pins can only be compared with itself.
      expect([...drawn]).toEqual([pinOf(row, version) ?? [...drawn][0]]);
    },
    100_000 * RENDERS,
  );
});
