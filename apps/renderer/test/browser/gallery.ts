import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineName } from '../../src/sandbox/page-bundle.js';
import type { RendererUnderTest } from '../renderer-under-test.js';

export interface GalleryRow {
  readonly name: string;
  readonly seed: string;
  readonly vars?: readonly number[];
  /** Of the portable engine, and of the browser's own by version of Chromium: an update of one may draw otherwise. */
  readonly pixelHash?: Readonly<Record<string, string>>;
  readonly totalFrames?: number;
  readonly fps?: number;
  readonly animationHash?: Readonly<Record<string, string>>;
}

const FOLDER = join(__dirname, '../../../../examples/sketches');

export const GALLERY = JSON.parse(readFileSync(join(FOLDER, 'gallery.json'), 'utf8')) as readonly GalleryRow[];

/** The names of the sketches that lie in the folder. */
export function sketchFiles(): string[] {
  return readdirSync(FOLDER).flatMap((name) => (name.endsWith('.js') ? [name.slice(0, -3)] : []));
}

/** Renders one row. @returns its pixel hash, or the animation hash of a loop; the whole answer where it failed */
export async function drawRow(
  renderer: RendererUnderTest,
  row: GalleryRow,
  tenantId: string,
  engine: EngineName,
): Promise<unknown> {
  const { name, seed, vars = [], totalFrames, fps } = row;
  const code = readFileSync(join(FOLDER, `${name}.js`), 'utf8');
  const { status, body } =
    totalFrames === undefined
      ? await renderer.post('/render', { tenantId, engine, code, seed, vars })
      : await renderer.post('/loop', { tenantId, engine, code, seed, vars, totalFrames, fps });
  return status === 200 ? body[totalFrames === undefined ? 'pixelHash' : 'animationHash'] : body;
}

/** The pinned hash; `undefined` for the browser's own engine in a version of Chromium without pins. */
export function pinOf(
  { pixelHash, animationHash }: GalleryRow,
  engine: EngineName,
  version: string,
): string | undefined {
  return (pixelHash ?? animationHash)?.[engine === 'portable' ? engine : version];
}
