import type { CanvasKit } from 'canvaskit-wasm';
import { boundsOf } from './bounds.js';
import type { MemorySurface } from './memory-surface.js';
import type { Drawing } from './painter.js';
import type { CanvasState } from './state.js';

/**
 * Places a picture, as `drawImage` does with two, four or eight numbers.
 * @returns what draws it; null where it has no width or height
 */
export function placeImage(
  kit: CanvasKit,
  surface: MemorySurface,
  { isSmoothing, smoothingQuality }: CanvasState,
  values: readonly number[],
): Drawing | null {
  const { width: w, height: h } = surface;
  const [sx = 0, sy = 0, sw = w, sh = h, dx = 0, dy = 0, dw = 0, dh = 0] =
    values.length >= 8 ? values : [0, 0, w, h, values[0] ?? 0, values[1] ?? 0, values[2] ?? w, values[3] ?? h];
  if (sw === 0 || sh === 0) return null;
  const image = surface.image();
  const from = kit.LTRBRect(Math.min(sx, sx + sw), Math.min(sy, sy + sh), Math.max(sx, sx + sw), Math.max(sy, sy + sh));
  const to = kit.LTRBRect(Math.min(dx, dx + dw), Math.min(dy, dy + dh), Math.max(dx, dx + dw), Math.max(dy, dy + dh));
  const draw: Drawing['draw'] = (canvas, paint) => {
    if (isSmoothing && smoothingQuality === 'high') canvas.drawImageRectCubic(image, from, to, 1 / 3, 1 / 3, paint);
    else {
      const filter = isSmoothing ? kit.FilterMode.Linear : kit.FilterMode.Nearest;
      const mips = isSmoothing && smoothingQuality === 'medium' ? kit.MipmapMode.Nearest : kit.MipmapMode.None;
      canvas.drawImageRectOptions(image, from, to, filter, mips, paint);
    }
  };
  return { draw, bounds: () => boundsOf([dx, dy, dx + dw, dy + dh]) };
}
