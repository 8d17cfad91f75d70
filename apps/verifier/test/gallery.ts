import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@cer/canonical-json';
import { sha256 } from '@cer/cer-core';
import { sealedRender } from '@cer/cer-core/testing';
import { readInstalledEngine } from '@cer/sketch-engine/files';

const SKETCHES = join(__dirname, '../../../examples/sketches');

interface GalleryRow {
  readonly name: string;
  readonly seed: string;
  readonly vars?: readonly number[];
  /** Absent for an animation. */
  readonly pixelHash?: { readonly portable: string };
}

const GALLERY = JSON.parse(readFileSync(join(SKETCHES, 'gallery.json'), 'utf8')) as readonly GalleryRow[];

export const STILLS = GALLERY.filter(({ pixelHash }) => pixelHash !== undefined).map(({ name }) => name);

export const sketchOf = (name: string): string => join(SKETCHES, `${name}.js`);

/** An intact certificate of a sketch; by default that of the gallery, with its pinned pixels. */
export async function certificateOf(name: string, changes: JsonObject = {}): Promise<JsonObject> {
  const row = GALLERY.find((known) => known.name === name);
  const members: JsonObject = {
    codeHash: row === undefined ? '' : sha256(readFileSync(sketchOf(name), 'utf8')),
    seed: row?.seed ?? 'default',
    vars: [...(row?.vars ?? [])],
    outputHash: row?.pixelHash?.portable ?? sha256('another'),
    sdkVersion: '1.8.4',
    engine: { ...(await readInstalledEngine()).identity },
    ...changes,
  };
  return sealedRender(members).bundle;
}
