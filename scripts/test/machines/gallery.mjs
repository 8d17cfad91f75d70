import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '..', '..', '..', 'examples', 'sketches');

/** The sketches of the gallery, each with its code and its pins. */
export const GALLERY = JSON.parse(readFileSync(join(folder, 'gallery.json'), 'utf8')).map(
  ({ pixelHash, animationHash, vars = [], fps = 30, ...row }) => ({
    ...row,
    vars,
    fps,
    code: readFileSync(join(folder, `${row.name}.js`), 'utf8'),
    pins: pixelHash ?? animationHash,
  }),
);

/** Blending, gradients, chaos, text: the sketches that differ first between machines. */
export const SHORT = ['blend-modes', 'gradients-and-shadow', 'de-jong', 'typography'];
