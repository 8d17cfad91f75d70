import { fixIntrinsics, LANGUAGE, loadPortableEngine, unpackEngine } from '@cer/sketch-engine';
import { ENGINE_ADDRESS } from './page-events.js';
import { pictureSender } from './send-pictures.js';
import { pageCanvas, preparePage } from './sketch-page.js';

/** The first script of a page whose sketch draws with Skia compiled to WebAssembly. */
async function prepare(): Promise<void> {
  const canvas = pageCanvas(document);
  const channel = canvas.dataset;
  const { width, height } = canvas;
  const engine = await fetch(ENGINE_ADDRESS);
  const makeCanvas = await loadPortableEngine(unpackEngine(await engine.arrayBuffer()));
  const ctx = makeCanvas(width, height);
  preparePage({ channel, ctx, makeCanvas, present: pictureSender(ctx), keeps: LANGUAGE });
  fixIntrinsics(globalThis);
  channel['engine'] = 'portable';
  channel['ready'] = '';
}

prepare().catch((error: unknown) => {
  pageCanvas(document).dataset['broken'] = String(error);
});
