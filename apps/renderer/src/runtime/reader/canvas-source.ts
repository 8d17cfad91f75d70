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
  readonly copy: (snapshot: VideoFrame, buffer: ArrayBuffer) => Promise<CopiedFrame>;
  /** 64 hex digits. */
  readonly hash: (copied: CopiedFrame) => Promise<string>;
  /** Memory of frames that are hashed. */
  readonly free: ArrayBuffer[];
}

/** Reads the page's canvas, which is held by reference: removing or replacing it in the document changes nothing. */
export function canvasSource(canvas: HTMLCanvasElement): PictureSource {
  const ctx = contextOf(canvas);
  let threads: FrameThreads | undefined;

  const assertSize = (): void => {
    if (canvas.width !== CANVAS_WIDTH || canvas.height !== CANVAS_HEIGHT)
      throw new Error('the canvas changed its size');
  };

  return {
    async still() {
      assertSize();
      const { data } = ctx.getImageData(0, 0, CANVAS_WIDTH, CANVAS_HEIGHT, { colorSpace: 'srgb' });
      // Both read the canvas before code of the sketch can run again.
      const [pixelHash, png] = await Promise.all([sha256Hex(data), encodeCanvas(canvas, 'image/png')]);
      return { pixelHash, png };
    },
    async prepareFrames() {
      threads = await startThreads();
    },
    async frame(wants) {
      if (threads === undefined) throw new Error('no frames were prepared');
      assertSize();
      const png = wants.png ? encodeCanvas(canvas, 'image/png') : undefined;
      const jpeg = wants.jpeg === undefined ? undefined : encodeCanvas(canvas, 'image/jpeg', wants.jpeg);
      // The canvas copies itself when it is drawn on before this is done, which takes longer than to wait.
      const snapshot = new VideoFrame(canvas, { timestamp: 0 });
      const copied = await threads.copy(snapshot, threads.free.pop() ?? new ArrayBuffer(FRAME_BYTES));
      return { hash: threads.hash(copied), png, jpeg };
    },
  };
}

async function startThreads(): Promise<FrameThreads> {
  const askCopy = await startWorker<CopyOrder, CopiedFrame>(COPY_WORKER);
  const askHash = await startWorker<HashOrder, HashedFrame>(HASH_WORKER);
  const free: ArrayBuffer[] = [];
  const copy: FrameThreads['copy'] = (snapshot, buffer) => askCopy({ snapshot, buffer }, [snapshot, buffer]);
  const quotients = await browsersQuotients(copy);
  return {
    free,
    copy,
    async hash(copied) {
      const { buffer, hash } = await askHash({ ...copied, quotients }, [copied.buffer]);
      free.push(buffer);
      return hash;
    },
  };
}

/**
 * How the browser divides a colour by its alpha, which it rounds in its own way: its answers for all alphas and values.
 * @returns per alpha and premultiplied value: the value
 */
async function browsersQuotients(copy: FrameThreads['copy']): Promise<Uint8Array> {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [256, 256];
  const ctx = contextOf(canvas);
  const greys = Uint32Array.from({ length: 256 * 256 }, (_, at) => ((at >>> 8) << 24) | ((at & 255) * 0x10101));
  ctx.putImageData(new ImageData(new Uint8ClampedArray(greys.buffer), 256), 0, 0);
  const { buffer } = await copy(new VideoFrame(canvas, { timestamp: 0 }), new ArrayBuffer(greys.byteLength));
  const premultiplied = new Uint32Array(buffer);
  const { data } = ctx.getImageData(0, 0, 256, 256, { colorSpace: 'srgb' });
  const quotients = new Uint8Array(256 * 256);
  premultiplied.forEach((word, at) => {
    quotients[((word >>> 24) << 8) | (word & 255)] = data[at * 4] ?? 0;
  });
  return quotients;
}

function contextOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const ctx = canvas.getContext('2d', DRAWN_BY_CPU);
  if (ctx === null) throw new Error('the canvas has no context');
  return ctx;
}
