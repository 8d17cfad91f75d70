import { CANVAS_HEIGHT, CANVAS_WIDTH } from '@cer/sketch-engine/render-rules';
import { frameHash } from './frame-hash.js';
import { startFrameHasher, type FrameHasher } from './frame-hasher.js';

/** A frame hash that is being computed, in a box: it is not waited for. */
export interface FrameHash {
  readonly hash: Promise<string>;
}

export interface CanvasReader {
  /** The RGBA bytes as they are now, not premultiplied. @param rows from the top; all unless given */
  readPixels(rows?: number): Uint8ClampedArray<ArrayBuffer>;
  /** For a loop, before the sketch runs. */
  prepareFrames(): Promise<void>;
  /**
   * Hashes a frame of a loop; settles once the canvas may be drawn on again. The frame hash has 64 hex digits.
   * @returns null when the sketch has drawn on after the call, so that the frame is no longer there to be read
   */
  hashFrame(): Promise<FrameHash | null>;
  /**
   * The same of a frame that is known to have no transparency: the canvas may be drawn on at once.
   * @throws Error, later, where it has
   */
  hashOpaqueFrame(): FrameHash;
  /** PNG or JPEG of the canvas as it is at the call. */
  encode(type: 'image/png' | 'image/jpeg', quality?: number): Promise<Uint8Array<ArrayBuffer>>;
}

/**
 * Reads a canvas from the isolated world: every function used here belongs to this world, so changes by the sketch have no effect
 * on it. The canvas is held by reference, so removing or replacing it in the document changes nothing.
 */
export function createCanvasReader(canvas: HTMLCanvasElement): CanvasReader {
  const ctx = canvas.getContext('2d');
  if (ctx === null) throw new Error('the canvas has no context');
  let hasher: FrameHasher | undefined;
  let opaque = true;

  const assertSize = (): void => {
    if (canvas.width !== CANVAS_WIDTH || canvas.height !== CANVAS_HEIGHT)
      throw new Error('the canvas changed its size');
  };
  const readPixels = (rows = CANVAS_HEIGHT): Uint8ClampedArray<ArrayBuffer> => {
    assertSize();
    return ctx.getImageData(0, 0, CANVAS_WIDTH, rows, { colorSpace: 'srgb' }).data;
  };
  const snapshot = (): VideoFrame => new VideoFrame(canvas, { timestamp: 0 });

  return {
    readPixels,
    async prepareFrames() {
      hasher = await startFrameHasher();
    },
    async hashFrame() {
      assertSize();
      // A video frame is the faster copy, but premultiplied: it equals the pixels only where all of them are opaque.
      if (!opaque || hasher === undefined) return { hash: frameHash(readPixels()) };
      const { isOpaque, hash } = hasher.take(snapshot());
      opaque = await isOpaque;
      if (opaque) return { hash };
      // Code of the sketch may have run during the copy: the pixels count only where the picture is the same.
      const again = hasher.take(snapshot());
      const pixels = readPixels();
      return (await hash) === (await again.hash) ? { hash: frameHash(pixels) } : null;
    },
    hashOpaqueFrame() {
      assertSize();
      if (hasher === undefined) return { hash: frameHash(readPixels()) };
      const { isOpaque, hash } = hasher.take(snapshot());
      return {
        hash: isOpaque.then((was) => {
          if (!was) throw new Error('the picture has transparency');
          return hash;
        }),
      };
    },
    encode(type, quality) {
      assertSize();
      return new Promise((resolve, reject) => {
        canvas.toBlob(
          (blob) => {
            if (blob === null) reject(new Error('the canvas cannot be encoded'));
            else
              blob.arrayBuffer().then((bytes) => {
                resolve(new Uint8Array(bytes));
              }, reject);
          },
          type,
          quality,
        );
      });
    },
  };
}
