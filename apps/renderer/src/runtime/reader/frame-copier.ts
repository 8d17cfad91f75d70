import { FRAME_BYTES } from '@cer/sketch-engine/render-rules';
import type { CopiedFrame, CopyOrder } from './copy-worker.js';

/** The worker's script as text; written in when the page's scripts are bundled. */
declare const COPY_WORKER: string;

/** Copies pictures of the canvas on another thread, while the page's thread hashes. */
export interface FrameCopier {
  /** Takes ownership of the picture. One call at a time. */
  copy(snapshot: VideoFrame): Promise<CopiedFrame>;
  /** The memory of a copy that is no longer read. */
  giveBack(buffer: ArrayBuffer): void;
}

/** Must be called before the sketch runs: afterwards the page cannot start a worker. */
export async function startFrameCopier(): Promise<FrameCopier> {
  const address = URL.createObjectURL(new Blob([COPY_WORKER], { type: 'text/javascript' }));
  const worker = new Worker(address);
  URL.revokeObjectURL(address);
  const answer = <Answer>(): Promise<Answer> =>
    new Promise((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<Answer>) => {
        resolve(data);
      };
      worker.onerror = () => {
        reject(new Error('the copying of frames has ended'));
      };
    });
  await answer<null>();
  const free: ArrayBuffer[] = [];
  return {
    copy(snapshot) {
      const copied = answer<CopiedFrame>();
      const order: CopyOrder = { snapshot, buffer: free.pop() ?? new ArrayBuffer(FRAME_BYTES) };
      worker.postMessage(order, [order.snapshot, order.buffer]);
      return copied;
    },
    giveBack(buffer) {
      free.push(buffer);
    },
  };
}
