import { isOpaque, PortableContext, takeMethod, unpremultiply } from '@cer/sketch-engine';
import { PAGE_EVENTS } from './page-events.js';

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
  let planes: Uint8ClampedArray<ArrayBuffer> | undefined;
  const show = (bytes: Uint8ClampedArray<ArrayBuffer>): void => {
    put(shown, new Picture(bytes, width, height), 0, 0);
  };
  addEventListener(
    PAGE_EVENTS.alpha,
    () => {
      if (planes === undefined) return;
      const alpha = new Uint8ClampedArray(planes.length);
      for (let i = 0; i < planes.length; i += 4) {
        alpha[i] = planes[i + 3] ?? 0;
        alpha[i + 3] = 255;
      }
      show(alpha);
    },
    true,
  );
  return () => {
    const pixels = PortableContext.pixelsOf(ctx);
    const opaque = isOpaque(pixels);
    channel['opaque'] = opaque ? '1' : '0';
    if (opaque) {
      planes = undefined;
      show(new Uint8ClampedArray(pixels.buffer as ArrayBuffer, pixels.byteOffset, pixels.length));
      return;
    }
    planes = new Uint8ClampedArray(pixels);
    unpremultiply(planes);
    const colors = planes.slice();
    for (let i = 3; i < colors.length; i += 4) colors[i] = 255;
    show(colors);
  };
}
