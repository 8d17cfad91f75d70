import { isOpaque } from '@cer/sketch-engine';
import { answerInOrder } from './worker-line.js';

/** Input of the worker: a picture, and the memory for its pixels. Both are transferred, not copied. */
export interface CopyOrder {
  readonly snapshot: VideoFrame;
  readonly buffer: ArrayBuffer;
}

export interface CopiedFrame {
  /** The same memory, transferred back: RGBA bytes, premultiplied. */
  readonly buffer: ArrayBuffer;
  /** Whether every pixel has full alpha, so that premultiplied bytes are the pixels themselves. */
  readonly opaque: boolean;
}

/** Copies one picture after another out of the browser. */
answerInOrder(async ({ data: { snapshot, buffer } }: MessageEvent<CopyOrder>): Promise<CopiedFrame> => {
  await snapshot.copyTo(buffer, { format: 'RGBA', colorSpace: 'srgb' });
  snapshot.close();
  return { buffer, opaque: isOpaque(new Uint8Array(buffer)) };
});
