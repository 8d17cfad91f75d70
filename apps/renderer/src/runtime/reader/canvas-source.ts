import { CANVAS_HEIGHT, CANVAS_WIDTH, FRAME_BYTES } from '@cer/sketch-engine/render-rules';
import { DRAWN_BY_CPU } from '../page-canvas.js';
import { startWorker } from './answering-worker.js';
import type { CopiedFrame, CopyOrder } from './copy-worker.js';
import { encodeCanvas } from './encode-canvas.js';
import { sha256Hex } from './frame-hash.js';
import type { HashedFrame, HashOrder } from './hash-worker.js';
import type { PictureSource } from './picture-source.js';

/** The workers' scripts as text; written in when the page's scripts are bundled. */
declare const COPY_WORKER: string;
declare const HASH_WORKER: string;

/** The threads that copy and hash the frames of a loop while the sketch draws. */
interface FrameThreads {
  readonly copy: (order: CopyOrder) => Promise<CopiedFrame>;
  readonly hash: (buffer: ArrayBuffer) => Promise<HashedFrame>;
}

/** Reads the page's canvas, which is held by reference: removing or replacing it in the document changes nothing. */
export function canvasSource(canvas: HTMLCanvasElement): PictureSource {
  const ctx = contextOf(canvas);
  let threads: FrameThreads | undefined;
  let opaque = true;
  const free: ArrayBuffer[] = [];

  const assertSize = (): void => {
    if (canvas.width !== CANVAS_WIDTH || canvas.height !== CANVAS_HEIGHT)
      throw new Error('the canvas changed its size');
  };
  /** The RGBA bytes of the canvas in this turn, not premultiplied; settles once the sketch may draw on. */
  const readFrame = async ({ copy }: FrameThreads): Promise<ArrayBuffer> => {
    assertSize();
    if (!opaque) return pixelsOf(ctx);
    // A video frame is the faster copy, but premultiplied: it equals the pixels only where all of them are opaque. The
    // bitmap keeps the picture for the other case, and copies nothing as long as the canvas does not change.
    const kept = createImageBitmap(canvas);
    const snapshot = new VideoFrame(canvas, { timestamp: 0 });
    const copied = await copy({ snapshot, buffer: free.pop() ?? new ArrayBuffer(FRAME_BYTES) });
    const bitmap = await kept;
    ({ opaque } = copied);
    const pixels = opaque ? copied.buffer : pixelsOfBitmap(bitmap);
    bitmap.close();
    return pixels;
  };
  const hashFrame = async (pixels: ArrayBuffer, { hash }: FrameThreads): Promise<string> => {
    const hashed = await hash(pixels);
    if (opaque) free.push(hashed.buffer);
    return hashed.hash;
  };

  return {
    async still() {
      assertSize();
      const pixels = new Uint8Array(pixelsOf(ctx));
      // Both read the canvas before code of the sketch can run again.
      const [pixelHash, png] = await Promise.all([sha256Hex(pixels), encodeCanvas(canvas, 'image/png')]);
      return { pixelHash, png };
    },
    async prepareFrames() {
      threads = await startThreads();
    },
    async frame(wants) {
      if (threads === undefined) throw new Error('no frames were prepared');
      const png = wants.png ? encodeCanvas(canvas, 'image/png') : undefined;
      const jpeg = wants.jpeg === undefined ? undefined : encodeCanvas(canvas, 'image/jpeg', wants.jpeg);
      return { hash: hashFrame(await readFrame(threads), threads), png, jpeg };
    },
  };
}

async function startThreads(): Promise<FrameThreads> {
  const copy = await startWorker<CopyOrder, CopiedFrame>(COPY_WORKER);
  const hash = await startWorker<HashOrder, HashedFrame>(HASH_WORKER);
  return {
    copy: (order) => copy(order, [order.snapshot, order.buffer]),
    hash: (buffer) => hash({ buffer, premultiplied: false }, [buffer]),
  };
}

function contextOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const ctx = canvas.getContext('2d', DRAWN_BY_CPU);
  if (ctx === null) throw new Error('the canvas has no context');
  return ctx;
}

/** The bytes that `pixelsOf` would have answered when the bitmap was made. */
function pixelsOfBitmap(bitmap: ImageBitmap): ArrayBuffer {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [CANVAS_WIDTH, CANVAS_HEIGHT];
  const ctx = contextOf(canvas);
  ctx.globalCompositeOperation = 'copy';
  ctx.drawImage(bitmap, 0, 0);
  return pixelsOf(ctx);
}

/** The RGBA bytes as they are now, not premultiplied. */
function pixelsOf(ctx: CanvasRenderingContext2D): ArrayBuffer {
  return ctx.getImageData(0, 0, CANVAS_WIDTH, CANVAS_HEIGHT, { colorSpace: 'srgb' }).data.buffer;
}
