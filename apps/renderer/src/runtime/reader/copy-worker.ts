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

let line: Promise<unknown> = Promise.resolve();

/** The script of the worker that a loop's page starts: copies one picture after another out of the browser. */
addEventListener('message', ({ data: { snapshot, buffer } }: MessageEvent<CopyOrder>) => {
  line = line.then(async () => {
    await snapshot.copyTo(buffer, { format: 'RGBA', colorSpace: 'srgb' });
    snapshot.close();
    const copied: CopiedFrame = { buffer, opaque: isOpaque(new Uint32Array(buffer)) };
    postMessage(copied, { transfer: [buffer] });
  });
  // The page receives the error of its worker and ends the loop.
  line.catch(reportError);
});

/** Reports that it runs. */
postMessage(null);

/** The alpha is the high byte of each little-endian word. */
function isOpaque(words: Uint32Array): boolean {
  const step = 4096;
  for (let at = 0; at < words.length; at += step) {
    let all = 0xffffffff;
    const end = Math.min(at + step, words.length);
    for (let i = at; i < end; i++) all &= words[i] ?? 0;
    if (all >>> 24 !== 0xff) return false;
  }
  return true;
}
