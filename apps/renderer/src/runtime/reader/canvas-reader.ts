/** The one size a certified canvas has. */
export const CANVAS_WIDTH = 1950;
export const CANVAS_HEIGHT = 2400;
export const FRAME_BYTES = CANVAS_WIDTH * CANVAS_HEIGHT * 4;
const CHUNK_BYTES = 512 * 1024;

export interface CanvasReader {
  /** The RGBA bytes as they are now, not premultiplied. */
  readPixels(): Uint8ClampedArray<ArrayBuffer>;
  /**
   * Starts reading and hashing the canvas as it is now; settles early, once the canvas may be drawn on again.
   * @returns the frame hash, still under way: 64 hex digits
   */
  hashFrame(): Promise<{ readonly hash: Promise<string> }>;
  /** PNG or JPEG of the canvas as it is at the call. */
  encode(type: 'image/png' | 'image/jpeg', quality?: number): Promise<Uint8Array<ArrayBuffer>>;
}

/**
 * Reads a canvas from the isolated world: every function used here is this world's own, whatever the sketch did to the
 * page's. The canvas is held by reference, so removing or replacing it in the document changes nothing.
 */
export function createCanvasReader(canvas: HTMLCanvasElement): CanvasReader {
  const ctx = canvas.getContext('2d');
  if (ctx === null) throw new Error('the canvas has no context');
  const frame = new Uint8Array(FRAME_BYTES);
  const words = new Uint32Array(frame.buffer);
  let opaque = true;

  const assertSize = (): void => {
    if (canvas.width !== CANVAS_WIDTH || canvas.height !== CANVAS_HEIGHT)
      throw new Error('the canvas changed its size');
  };
  const readPixels = (): Uint8ClampedArray<ArrayBuffer> => {
    assertSize();
    return ctx.getImageData(0, 0, CANVAS_WIDTH, CANVAS_HEIGHT, { colorSpace: 'srgb' }).data;
  };

  return {
    readPixels,
    async hashFrame() {
      assertSize();
      // A video frame is the faster copy, but premultiplied: it equals the pixels only where all of them are opaque.
      if (opaque) {
        const snapshot = new VideoFrame(canvas, { timestamp: 0 });
        await snapshot.copyTo(frame, { format: 'RGBA', colorSpace: 'srgb' });
        snapshot.close();
        opaque = isOpaque(words);
      }
      return { hash: hashInChunks(opaque ? frame : readPixels()) };
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

/** SHA-256 over the SHA-256 digests of consecutive 512 KiB chunks. Chunks this small are copied without page faults. */
async function hashInChunks(bytes: Uint8Array<ArrayBuffer> | Uint8ClampedArray<ArrayBuffer>): Promise<string> {
  const digests: Promise<ArrayBuffer>[] = [];
  // Each call copies its chunk before it returns, so the buffer is free again at once.
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    digests.push(crypto.subtle.digest('SHA-256', bytes.subarray(at, Math.min(at + CHUNK_BYTES, bytes.length))));
  }
  const joined = new Uint8Array(digests.length * 32);
  (await Promise.all(digests)).forEach((digest, index) => {
    joined.set(new Uint8Array(digest), index * 32);
  });
  return sha256Hex(joined);
}

/** 64 lower-case hex digits. */
export async function sha256Hex(bytes: Uint8Array<ArrayBuffer> | Uint8ClampedArray<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Whether every pixel has full alpha: the high byte of each little-endian word. */
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
