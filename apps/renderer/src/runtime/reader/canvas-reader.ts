import { CANVAS_HEIGHT, CANVAS_WIDTH, CHUNK_BYTES } from '@cer/sketch-engine/render-rules';
import { startFrameCopier, type FrameCopier } from './frame-copier.js';

export type FramePixels = Uint8Array<ArrayBuffer> | Uint8ClampedArray<ArrayBuffer>;

export interface CanvasReader {
  /** The RGBA bytes as they are now, not premultiplied. */
  readPixels(): Uint8ClampedArray<ArrayBuffer>;
  /** For a loop, before the sketch runs. */
  prepareFrames(): Promise<void>;
  /**
   * Reads a frame of a loop; settles once the canvas may be drawn on again. Code before the first `await` runs
   * concurrently with the reading.
   * @returns the RGBA bytes, not premultiplied, the caller's until `hashFrame` took them; null when the sketch has drawn
   *   on after the call, so that the frame is no longer there to be read
   */
  readFrame(): Promise<FramePixels | null>;
  /** Takes the bytes over. One at a time. @returns the frame hash: 64 hex digits */
  hashFrame(pixels: FramePixels): Promise<string>;
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
  let copier: FrameCopier | undefined;
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
    async prepareFrames() {
      copier = await startFrameCopier();
    },
    async readFrame() {
      assertSize();
      // A video frame is the faster copy, but premultiplied: it equals the pixels only where all of them are opaque.
      if (opaque && copier !== undefined) {
        const copied = await copier.copy(new VideoFrame(canvas, { timestamp: 0 }));
        opaque = copied.opaque;
        if (opaque) return new Uint8Array(copied.buffer);
        // Code of the sketch may have run during the copy: the pixels count only where the picture is the same.
        const again = new VideoFrame(canvas, { timestamp: 0 });
        const pixels = readPixels();
        const { buffer } = await copier.copy(again);
        const isSame = areEqual(new Uint32Array(copied.buffer), new Uint32Array(buffer));
        copier.giveBack(copied.buffer);
        copier.giveBack(buffer);
        return isSame ? pixels : null;
      }
      return readPixels();
    },
    async hashFrame(pixels) {
      const hash = await hashInChunks(pixels);
      copier?.giveBack(pixels.buffer);
      return hash;
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

function areEqual(some: Uint32Array, others: Uint32Array): boolean {
  for (let at = 0; at < some.length; at++) if (some[at] !== others[at]) return false;
  return some.length === others.length;
}

/** SHA-256 over the SHA-256 digests of consecutive 512 KiB chunks. Chunks this small are copied without page faults. */
async function hashInChunks(bytes: FramePixels): Promise<string> {
  const digests: Promise<ArrayBuffer>[] = [];
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    digests.push(crypto.subtle.digest('SHA-256', bytes.subarray(at, Math.min(at + CHUNK_BYTES, bytes.length))));
    // The worker that copies the next frame starts at a message from this thread.
    await nextTurn();
  }
  const joined = new Uint8Array(digests.length * 32);
  (await Promise.all(digests)).forEach((digest, index) => {
    joined.set(new Uint8Array(digest), index * 32);
  });
  return sha256Hex(joined);
}

const turns = new MessageChannel();

/** Yields to other tasks of this thread. One caller at a time. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    turns.port1.onmessage = () => {
      resolve();
    };
    turns.port2.postMessage(null);
  });
}

/** 64 lower-case hex digits. */
export async function sha256Hex(bytes: Uint8Array<ArrayBuffer> | Uint8ClampedArray<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
