import { premultiply, unpremultiply } from './alpha.js';
import { PortableImageData } from './image-data.js';
import type { MemorySurface } from './memory-surface.js';

/** Copies a rectangle of the surface, as `getImageData` does; what lies outside the surface is transparent black. */
export function readPixels(
  surface: MemorySurface,
  x: number,
  y: number,
  width: number,
  height: number,
): PortableImageData {
  const [w, h] = [Math.trunc(width), Math.trunc(height)];
  const picture = new PortableImageData(Math.abs(w), Math.abs(h));
  const [left, top] = [Math.trunc(x) + Math.min(0, w), Math.trunc(y) + Math.min(0, h)];
  const pixels = surface.pixels();
  eachRow(surface, left, top, picture.width, picture.height, (own, row, bytes) => {
    picture.data.set(pixels.subarray(own, own + bytes), row);
  });
  unpremultiply(new Uint8Array(picture.data.buffer));
  return picture;
}

/**
 * Replaces pixels of the surface, as `putImageData` does.
 * @param dirty the part of the picture that is copied: x, y, width, height; all of it unless given
 */
export function writePixels(
  surface: MemorySurface,
  picture: PortableImageData,
  x: number,
  y: number,
  dirty: readonly number[],
): void {
  const [dirtyX = 0, dirtyY = 0, dirtyWidth = picture.width, dirtyHeight = picture.height] = dirty.map(Math.trunc);
  const source = new Uint8Array(picture.data);
  premultiply(source);
  const [left, top] = [Math.max(0, dirtyX), Math.max(0, dirtyY)];
  const [right, bottom] = [
    Math.min(picture.width, dirtyX + dirtyWidth),
    Math.min(picture.height, dirtyY + dirtyHeight),
  ];
  const pixels = surface.pixels();
  const [atX, atY] = [Math.trunc(x) + left, Math.trunc(y) + top];
  eachRow(surface, atX, atY, right - left, bottom - top, (own, row, bytes) => {
    const line = Math.floor(row / ((right - left) * 4));
    const from = ((top + line) * picture.width + left) * 4 + (row - line * (right - left) * 4);
    pixels.set(source.subarray(from, from + bytes), own);
  });
  surface.touch();
}

/** Visits the part of each row of a picture that lies on the surface. @param act byte offsets, and how many bytes */
function eachRow(
  { width, height }: MemorySurface,
  x: number,
  y: number,
  w: number,
  h: number,
  act: (surfaceOffset: number, pictureOffset: number, bytes: number) => void,
): void {
  const [left, right] = [Math.max(0, x), Math.min(width, x + w)];
  if (left >= right) return;
  for (let row = Math.max(0, -y); row < h && y + row < height; row++)
    act(((y + row) * width + left) * 4, (row * w + left - x) * 4, (right - left) * 4);
}
