import { isOpaque, PortableContext, takeMethod, unpremultiply } from '@cer/sketch-engine';
import { PAGE_EVENTS } from './page-events.js';
import { alphaRows, packAlpha } from './packed-alpha.js';

/** Rows of a picture with transparency that are taken apart at a time; they divide by three, as the alpha is packed. */
const STRIP_ROWS = 96;

/**
 * Copies the picture to the page's canvas, which the reader reads. A canvas stores only opaque pixels exactly, so a picture
 * with transparency is shown as its colours and, at an event of the reader, as its alpha.
 * @returns the function that shows the picture as it is
 */
export function portablePicture(
  ctx: PortableContext,
  shown: CanvasRenderingContext2D,
  channel: DOMStringMap,
): () => void {
  const put = takeMethod(CanvasRenderingContext2D.prototype, 'putImageData');
  const Picture = ImageData;
  const { width, height } = ctx.canvas;
  const stride = width * 4;
  let alpha: Uint8ClampedArray<ArrayBuffer> | undefined;
  const show = (bytes: Uint8ClampedArray<ArrayBuffer>, row = 0): void => {
    put(shown, new Picture(bytes, width), 0, row);
  };
  const showColors = (pixels: Uint8Array): void => {
    alpha ??= new Uint8ClampedArray(alphaRows(height) * stride);
    const strip = new Uint8ClampedArray(STRIP_ROWS * stride);
    for (let row = 0; row < height; row += STRIP_ROWS) {
      strip.set(pixels.subarray(row * stride, (row + STRIP_ROWS) * stride));
      unpremultiply(strip);
      packAlpha(strip, alpha.subarray(alphaRows(row) * stride));
      show(strip, row);
    }
  };
  addEventListener(
    PAGE_EVENTS.alpha,
    () => {
      if (alpha !== undefined) show(alpha);
    },
    true,
  );
  return () => {
    const pixels = PortableContext.pixelsOf(ctx);
    const opaque = isOpaque(pixels);
    channel['opaque'] = opaque ? '1' : '0';
    if (opaque) {
      alpha = undefined;
      show(new Uint8ClampedArray(pixels.buffer as ArrayBuffer, pixels.byteOffset, pixels.length));
    } else showColors(pixels);
  };
}
