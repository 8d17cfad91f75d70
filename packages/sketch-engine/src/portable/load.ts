import CanvasKitInit, { type CanvasKit } from 'canvaskit-wasm';
import { onRelease } from '../drawing/drawing-context.js';
import { PortableContext, type PortableTools } from './context.js';
import { FontLibrary, type FontSet } from './font-library.js';
import { TextShaper } from './text-shaper.js';

/** The parts that draw: Skia's module, and the fonts. */
export interface EngineFiles {
  readonly skia: Uint8Array;
  readonly fonts: FontSet;
}

const MAX_SIDE = 16_384;

/** Makes canvases for the drawing layer. */
export type MakePortableCanvas = (width: number, height: number) => PortableContext;

/** Compiles Skia; everything it needs of the page is taken before this settles. */
export async function loadPortableEngine({ skia, fonts }: EngineFiles): Promise<MakePortableCanvas> {
  const kit = await initSkia(skia);
  const tools: PortableTools = { kit, shaper: new TextShaper(kit, new FontLibrary(kit, fonts)) };
  const collected = new globalThis.FinalizationRegistry<() => void>((dispose) => {
    dispose();
  });
  // The page's interfaces are emptied before the first sketch.
  const register = collected.register.bind(collected);
  return (width, height) => {
    const context = new PortableContext(tools, sideOf(width), sideOf(height));
    const dispose = PortableContext.disposer(context);
    onRelease(context, dispose);
    register(context, dispose);
    return context;
  };
}

function sideOf(value: number): number {
  const size = Math.floor(value);
  if (!(size >= 1 && size <= MAX_SIDE)) throw new RangeError('a graphics size is 1 to 16384');
  return size;
}

/**
 * Skia's glue knows only how to load its module from an address: for as long as it starts, it is in a page whose every
 * address answers with the module.
 */
async function initSkia(module: Uint8Array): Promise<CanvasKit> {
  const page = {
    ...(!('window' in globalThis) && { window: globalThis }),
    ...('process' in globalThis && { process: undefined }),
    fetch: () => Promise.resolve({ ok: true, arrayBuffer: () => Promise.resolve(module) }),
  };
  const before = Object.keys(page).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
  const { instantiateStreaming } = WebAssembly;
  for (const [name, value] of Object.entries(page))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  Reflect.deleteProperty(WebAssembly, 'instantiateStreaming');
  try {
    return await CanvasKitInit.default({ locateFile: () => 'skia' });
  } finally {
    WebAssembly.instantiateStreaming = instantiateStreaming;
    for (const [name, descriptor] of before)
      if (descriptor === undefined) Reflect.deleteProperty(globalThis, name);
      else Object.defineProperty(globalThis, name, descriptor);
  }
}
