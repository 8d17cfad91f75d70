import { pngEncoder, unpremultiply } from '@cer/sketch-engine';
import { CANVAS_HEIGHT, CANVAS_WIDTH, FRAME_BYTES } from '@cer/sketch-engine/render-rules';
import { PAGE_EVENTS } from '../page-events.js';
import { startWorker, type AskWorker } from './answering-worker.js';
import { encodeCanvas } from './encode-canvas.js';
import { sha256Hex } from './frame-hash.js';
import type { HashedFrame, HashOrder } from './hash-worker.js';
import type { PictureSource } from './picture-source.js';

/** The worker's script as text, and the engine's module that encodes PNG as base64; written in when the scripts are bundled. */
declare const HASH_WORKER: string;
declare const PNG_MODULE: string;

/**
 * Receives the pictures of the portable engine: the page's first script sends each in the turn in which it is drawn.
 * @param canvas the page's own, for JPEG; nothing else uses it
 */
export function sentSource(canvas: HTMLCanvasElement): PictureSource {
  // Compiled before the page is given out.
  const encodePng = pngEncoder(PNG_MODULE);
  const { port1, port2 } = new MessageChannel();
  const sent: ArrayBuffer[] = [];
  let arrived: () => void = () => undefined;
  port1.onmessage = ({ data }: MessageEvent<ArrayBuffer>) => {
    sent.push(data);
    arrived();
  };
  dispatchEvent(new MessageEvent(PAGE_EVENTS.port, { ports: [port2] }));
  let hash: AskWorker<HashOrder, HashedFrame> | undefined;

  const receive = async (): Promise<ArrayBuffer> => {
    for (;;) {
      const buffer = sent.shift();
      if (buffer?.byteLength === FRAME_BYTES) return buffer;
      if (buffer !== undefined) throw new Error('the canvas changed its size');
      await new Promise<void>((resolve) => {
        arrived = resolve;
      });
    }
  };
  const pngOf = (pixels: Uint8ClampedArray<ArrayBuffer>): Uint8Array => encodePng(pixels, CANVAS_WIDTH, CANVAS_HEIGHT);
  const jpegOf = (pixels: Uint8ClampedArray<ArrayBuffer>, quality: number): Promise<Uint8Array> => {
    canvas.getContext('2d')?.putImageData(new ImageData(pixels, CANVAS_WIDTH), 0, 0);
    return encodeCanvas(canvas, 'image/jpeg', quality);
  };

  return {
    async still() {
      const pixels = new Uint8ClampedArray(await receive());
      unpremultiply(pixels);
      return { pixelHash: await sha256Hex(pixels), png: pngOf(pixels) };
    },
    async prepareFrames() {
      hash = await startWorker(HASH_WORKER);
    },
    async frame(wants) {
      const buffer = await receive();
      if (hash === undefined) throw new Error('no frames were prepared');
      const hashed = hash({ buffer, opaque: false }, [buffer]);
      const pixels = hashed.then((frame) => new Uint8ClampedArray(frame.buffer));
      const { jpeg: quality } = wants;
      const reading = {
        hash: hashed.then((frame) => frame.hash),
        png: wants.png ? pixels.then(pngOf) : undefined,
        jpeg: quality === undefined ? undefined : pixels.then((shown) => jpegOf(shown, quality)),
      };
      // A picture that is encoded has been copied by then.
      pixels.then(
        (done) => {
          port1.postMessage(done.buffer, [done.buffer]);
        },
        () => undefined,
      );
      return reading;
    },
  };
}
