import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startRenderer, type RendererUnderTest } from '../renderer-under-test.js';
import { describeWithBrowser } from '../with-browser.js';

interface GalleryRow {
  readonly name: string;
  readonly seed: string;
  readonly vars?: readonly number[];
  /** By major version of Chromium. */
  readonly pixelHash?: Readonly<Record<string, string>>;
  readonly totalFrames?: number;
  readonly fps?: number;
  readonly animationHash?: Readonly<Record<string, string>>;
}

/** How often each sketch is drawn, two at a time; the browser starts anew three times where there are enough. */
const RENDERS = Number(process.env['GALLERY_RENDERS'] ?? '2');
const RESTART_EVERY = Math.max(RENDERS / 4, 2);

const FOLDER = join(__dirname, '../../../../examples/sketches');
const GALLERY = JSON.parse(readFileSync(join(FOLDER, 'gallery.json'), 'utf8')) as readonly GalleryRow[];

describeWithBrowser('The gallery', () => {
  let renderer: RendererUnderTest;
  beforeAll(async () => {
    renderer = await startRenderer();
  });
  afterAll(async () => {
    await renderer.close();
  });

  it('has a pinned hash for every sketch', () => {
    const files = readdirSync(FOLDER).filter((name) => name.endsWith('.js'));
    expect(GALLERY.map(({ name }) => `${name}.js`).sort()).toEqual(files.sort());
    expect(files.length).toBeGreaterThanOrEqual(20);
  });

  it.each(GALLERY.map((row) => [row.name, row] as const))(
    `draws %s as pinned, ${RENDERS} times in separate pages`,
    async (name, row) => {
      const { seed, vars = [], pixelHash, animationHash, totalFrames, fps } = row;
      const request = { code: readFileSync(join(FOLDER, `${name}.js`), 'utf8'), seed, vars };
      const draw = async (tenant: number): Promise<unknown> => {
        const tenantId = `gallery-${tenant}`;
        const { status, body } =
          totalFrames === undefined
            ? await renderer.post('/render', { ...request, tenantId })
            : await renderer.post('/loop', { ...request, tenantId, totalFrames, fps });
        expect(status).toBe(200);
        return body[totalFrames === undefined ? 'pixelHash' : 'animationHash'];
      };
      const drawn = new Set<unknown>();
      for (let done = 0; done < RENDERS; done += 2) {
        if (done > 0 && done % RESTART_EVERY === 0) await (await renderer.engine.host.current()).kill();
        for (const hash of await Promise.all([draw(1), draw(2)])) drawn.add(hash);
      }
      const { version } = await renderer.engine.host.current();
      const pinned = (pixelHash ?? animationHash)?.[version.split('.')[0] ?? ''];
      // Of a browser that nobody has looked at yet, only agreement with itself can be asked.
      expect([...drawn]).toEqual([pinned ?? [...drawn][0]]);
    },
    100_000 * RENDERS,
  );
});
