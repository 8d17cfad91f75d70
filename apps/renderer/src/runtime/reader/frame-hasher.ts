import { FRAME_BYTES } from '@cer/sketch-engine/render-rules';
import type { CopiedFrame, CopyOrder } from './copy-worker.js';
import { frameHash } from './frame-hash.js';

/** The worker's script as text; written in when the page's scripts are bundled. */
declare const COPY_WORKER: string;

/** A picture that is being read. */
export interface HashedFrame {
  /** Settles when the picture is copied, with whether every pixel of it has full alpha. */
  readonly isOpaque: Promise<boolean>;
  /** Hash of the premultiplied bytes, 64 hex digits. */
  readonly hash: Promise<string>;
}

/** Copies pictures of the canvas on another thread and hashes them, while the page's thread draws. */
export interface FrameHasher {
  /** Takes ownership of the picture. */
  take(snapshot: VideoFrame): HashedFrame;
}

interface Waiting {
  readonly settle: (frame: CopiedFrame) => void;
  readonly fail: (error: Error) => void;
}

/** Must be called before the sketch runs: afterwards the page cannot start a worker. */
export async function startFrameHasher(): Promise<FrameHasher> {
  const address = URL.createObjectURL(new Blob([COPY_WORKER], { type: 'text/javascript' }));
  const worker = new Worker(address);
  URL.revokeObjectURL(address);
  await new Promise((resolve, reject) => {
    worker.onmessage = resolve;
    worker.onerror = reject;
  });
  const free: ArrayBuffer[] = [];
  const waiting: Waiting[] = [];
  let error: Error | undefined;
  worker.onmessage = ({ data }: MessageEvent<CopiedFrame>) => {
    waiting.shift()?.settle(data);
  };
  worker.onerror = ({ message }) => {
    error = new Error(`the copying of frames has ended: ${message}`);
    for (const { fail } of waiting.splice(0)) fail(error);
  };
  const hashOf = ({ buffer }: CopiedFrame): Promise<string> => {
    const hash = frameHash(new Uint8Array(buffer));
    // The bytes have been copied once more, chunk by chunk.
    free.push(buffer);
    return hash;
  };
  return {
    take(snapshot) {
      const copied = new Promise<CopiedFrame>((settle, fail) => {
        if (error === undefined) waiting.push({ settle, fail });
        else fail(error);
      });
      const order: CopyOrder = { snapshot, buffer: free.pop() ?? new ArrayBuffer(FRAME_BYTES) };
      worker.postMessage(order, [order.snapshot, order.buffer]);
      const frame = { isOpaque: copied.then(({ opaque }) => opaque), hash: copied.then(hashOf) };
      // A frame may fail that is no longer waited for.
      for (const result of Object.values(frame)) result.catch(() => undefined);
      return frame;
    },
  };
}
