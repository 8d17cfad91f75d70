import { CANVAS_HEIGHT, CANVAS_WIDTH, FRAME_BYTES } from '@cer/sketch-engine/render-rules';
import { startWorker } from './answering-worker.js';
import type { CopiedFrame, CopyOrder } from './copy-worker.js';
import { encodeCanvas } from './encode-canvas.js';
import { frameHash, sha256Hex } from './frame-hash.js';
import type { PictureSource } from './picture-source.js';

/** The worker's script as text; written in when the page's scripts are bundled. */
declare const COPY_WORKER: string;

/** A picture that is being copied on another thread, while the page's thread draws. */
interface Copy {
  /** Settles when the picture is copied, with whether every pixel of it has full alpha. */
  readonly isOpaque: Promise<boolean>;
  /** Hash of the premultiplied bytes, 64 hex digits. */
  readonly hash: Promise<string>;
}

/** Reads the page's canvas, which is held by reference: removing or replacing it in the document changes nothing. */
export function canvasSource(canvas: HTMLCanvasElement): PictureSource {
  const ctx = canvas.getContext('2d');
  if (ctx === null) throw new Error('the canvas has no context');
  let copy: ((snapshot: VideoFrame) => Copy) | undefined;
  let opaque = true;

  const assertSize = (): void => {
    if (canvas.width !== CANVAS_WIDTH || canvas.height !== CANVAS_HEIGHT)
      throw new Error('the canvas changed its size');
  };
  /** The RGBA bytes as they are now, not premultiplied. */
  const readPixels = (): Uint8ClampedArray<ArrayBuffer> => {
    assertSize();
    return ctx.getImageData(0, 0, CANVAS_WIDTH, CANVAS_HEIGHT, { colorSpace: 'srgb' }).data;
  };
  const snapshot = (): VideoFrame => new VideoFrame(canvas, { timestamp: 0 });
  const hashOf = async (): Promise<{ readonly hash: Promise<string> } | null> => {
    assertSize();
    // A video frame is the faster copy, but premultiplied: it equals the pixels only where all of them are opaque.
    if (!opaque || copy === undefined) return { hash: frameHash(readPixels()) };
    const { isOpaque, hash } = copy(snapshot());
    opaque = await isOpaque;
    if (opaque) return { hash };
    // Code of the sketch may have run during the copy: the pixels count only where the picture is the same.
    const again = copy(snapshot());
    const pixels = readPixels();
    return (await hash) === (await again.hash) ? { hash: frameHash(pixels) } : null;
  };

  return {
    async still() {
      const pixels = readPixels();
      // Both read the canvas before code of the sketch can run again.
      const [pixelHash, png] = await Promise.all([sha256Hex(pixels), encodeCanvas(canvas, 'image/png')]);
      return { pixelHash, png };
    },
    async prepareFrames() {
      copy = await startCopying();
    },
    async frame(wants) {
      const png = wants.png ? encodeCanvas(canvas, 'image/png') : undefined;
      const jpeg = wants.jpeg === undefined ? undefined : encodeCanvas(canvas, 'image/jpeg', wants.jpeg);
      const read = await hashOf();
      return read === null ? null : { ...read, png, jpeg };
    },
  };
}

async function startCopying(): Promise<(snapshot: VideoFrame) => Copy> {
  const ask = await startWorker<CopyOrder, CopiedFrame>(COPY_WORKER);
  const free: ArrayBuffer[] = [];
  const hashOf = ({ buffer }: CopiedFrame): Promise<string> => {
    const hash = frameHash(new Uint8Array(buffer));
    // The bytes have been copied once more, chunk by chunk.
    free.push(buffer);
    return hash;
  };
  return (snapshot) => {
    const order: CopyOrder = { snapshot, buffer: free.pop() ?? new ArrayBuffer(FRAME_BYTES) };
    const copied = ask(order, [order.snapshot, order.buffer]);
    const copy = { isOpaque: copied.then(({ opaque }) => opaque), hash: copied.then(hashOf) };
    // A frame that is no longer awaited may fail.
    for (const result of Object.values(copy)) result.catch(() => undefined);
    return copy;
  };
}
