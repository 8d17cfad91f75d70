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

const FOLDER = join(__dirname, '../../../../examples/sketches');
const GALLERY = JSON.parse(readFileSync(join(FOLDER, 'gallery.json'), 'utf8')) as readonly GalleryRow[];

describeWithBrowser('The gallery', () => {
  let renderer: RendererUnderTest;
  beforeAll(async () => {
    renderer = await startRenderer();
  }, 60_000);
  afterAll(async () => {
    await renderer.close();
  });

  it('has a pinned hash for every sketch', () => {
    const files = readdirSync(FOLDER).filter((name) => name.endsWith('.js'));
    expect(GALLERY.map(({ name }) => `${name}.js`).sort()).toEqual(files.sort());
    expect(files.length).toBeGreaterThanOrEqual(20);
  });

  it.each(GALLERY.map((row) => [row.name, row] as const))(
    'draws %s as pinned, twice in separate pages',
    async (name, row) => {
      const { seed, vars = [], pixelHash, animationHash, totalFrames, fps } = row;
      const request = { tenantId: 'gallery', code: readFileSync(join(FOLDER, `${name}.js`), 'utf8'), seed, vars };
      const answer =
        totalFrames === undefined
          ? await renderer.post('/render', { ...request, twice: true })
          : await renderer.post('/loop', { ...request, totalFrames, fps });
      expect(answer.status).toBe(200);
      const { version } = await renderer.engine.host.current();
      const pinned = (pixelHash ?? animationHash)?.[version.split('.')[0] ?? ''];
      const drawn = answer.body[totalFrames === undefined ? 'pixelHash' : 'animationHash'];
      // Of a browser that nobody has looked at yet, only agreement with itself can be asked.
      expect(drawn).toBe(pinned ?? drawn);
    },
  );
});
