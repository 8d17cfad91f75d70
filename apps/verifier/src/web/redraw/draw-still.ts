import {
  addressOf,
  unpremultiply,
  workerScripts,
  type SketchInput,
  type WorkerAnswer,
  type WorkerOrder,
} from '@cer/sketch-engine/host';
import { FRAME_BYTES } from '@cer/sketch-engine/render-rules';
import { packedEngine, type EngineBlock } from './engine-block.js';

/** Pixels as they are certified, or why there are none. */
export type Drawn = { readonly pixels: Uint8ClampedArray<ArrayBuffer> } | { readonly fault: string };

/** @param script what `pinSyntax` wrote @param signal ends the worker */
export function drawStill(block: EngineBlock, script: string, input: SketchInput, signal: AbortSignal): Promise<Drawn> {
  // Stopped while the files were read: the signal reports that only once.
  if (signal.aborted) return Promise.resolve({ fault: '' });
  const host = addressOf(block.scripts.join('\n;\n'));
  const scripts = workerScripts(script);
  const addresses = scripts.map(addressOf);
  const worker = new Worker(host);
  const drawn = new Promise<Drawn>((resolve) => {
    worker.onmessage = ({ data }: MessageEvent<WorkerAnswer>) => {
      if ('fault' in data) resolve({ fault: data.fault });
      else resolve({ pixels: certifiedPixels(data.pixels) });
    };
    worker.onerror = () => {
      resolve({ fault: '' });
    };
    signal.addEventListener('abort', () => {
      resolve({ fault: '' });
    });
  });
  const engine = packedEngine(block);
  const pixels = new ArrayBuffer(FRAME_BYTES);
  const order: WorkerOrder = { engine, scripts, addresses, input: JSON.stringify(input), pixels };
  worker.postMessage(order, [engine, pixels]);
  return drawn.finally(() => {
    worker.terminate();
    for (const address of [host, ...addresses]) URL.revokeObjectURL(address);
  });
}

function certifiedPixels(buffer: ArrayBuffer): Uint8ClampedArray<ArrayBuffer> {
  const pixels = new Uint8ClampedArray(buffer);
  unpremultiply(pixels);
  return pixels;
}
