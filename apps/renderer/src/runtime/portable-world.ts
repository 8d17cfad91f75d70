import { fixIntrinsics, LANGUAGE, loadPortableEngine, unpackEngine } from '@cer/sketch-engine';
import { takeCanvasTools } from './page-canvas.js';
import { ENGINE_ADDRESS } from './page-events.js';
import { portablePicture } from './portable-picture.js';
import { pageCanvas, preparePage } from './sketch-page.js';

/** The first script of a page whose sketch draws with Skia compiled to WebAssembly. */
async function prepare(): Promise<void> {
  const canvas = pageCanvas(document);
  const channel = canvas.dataset;
  const shown = takeCanvasTools(document).contextOf(canvas);
  const { width, height } = canvas;
  const { body } = await fetch(ENGINE_ADDRESS);
  if (body === null) throw new Error('there is no engine');
  const engine = await new Response(body.pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
  const makeCanvas = await loadPortableEngine(unpackEngine(engine));
  const ctx = makeCanvas(width, height);
  preparePage({ channel, ctx, makeCanvas, present: portablePicture(ctx, shown, channel), keeps: LANGUAGE });
  fixIntrinsics(globalThis);
  channel['opaque'] = '1';
  channel['ready'] = '';
}

prepare().catch((error: unknown) => {
  pageCanvas(document).dataset['broken'] = String(error);
});
