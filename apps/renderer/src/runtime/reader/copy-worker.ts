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
  /** Whether every pixel has full alpha. */
  readonly opaque: boolean;
}

/** Copies one picture after another out of the browser. */
answerInOrder(async ({ data: { snapshot, buffer } }: MessageEvent<CopyOrder>): Promise<CopiedFrame> => {
  // Chromium takes ten times as long for the copy when it exchanges red and blue itself.
  const format = snapshot.format === 'BGRA' ? 'BGRA' : 'RGBA';
  await snapshot.copyTo(buffer, { format, colorSpace: 'srgb' });
  snapshot.close();
  const opaque = format === 'BGRA' ? exchangeRedAndBlue(new Uint32Array(buffer)) : isOpaque(new Uint8Array(buffer));
  return { buffer, opaque };
});

/** @returns whether every pixel has full alpha */
function exchangeRedAndBlue(words: Uint32Array): boolean {
  let all = 0xff000000;
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? 0;
    all &= word;
    words[i] = (word & 0xff00ff00) | ((word >>> 16) & 0xff) | ((word & 0xff) << 16);
  }
  return all >>> 24 === 0xff;
}
