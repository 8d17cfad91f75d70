import { accepts, createErrorShaper, ok, type Handler, type Route } from '@cer/http-service';
import { RENDER_STATUS } from '../errors.js';
import type { Engine } from '../engine.js';
import type { Loop } from '../rendering/render-loop.js';
import type { Timed } from '../renderer.js';
import type { DrawingEngine } from '../sandbox/older-engines.js';
import { CANVAS_HEIGHT, CANVAS_WIDTH, HASH_SCHEME } from '@cer/sketch-engine/render-rules';
import type { FramePlan } from '../sandbox/sketch.js';
import { admitInternal, createAnswerMac, nonceOf, withMac } from './mac.js';
import { progressStream } from './progress-stream.js';
import { parseInspect, parseLoop, parseStill } from './sketch-request.js';
import type { SketchRoutesDeps } from './sketch-routes-deps.js';
import { videoHandler, videoTypeOf } from './video-handler.js';

/** Room for the code with every character escaped, and the rest of the request. */
const BODY_OVERHEAD_BYTES = 64 * 1024;
const MAX_ESCAPE_FACTOR = 6;

/** The routes that run sketches; only the node, which holds the internal token, may call them. */
export function sketchRoutes(given: Omit<SketchRoutesDeps, 'mac'>): readonly Route[] {
  const deps = { ...given, mac: createAnswerMac(given.config.token) };
  const shapeError = createErrorShaper({ logger: deps.logger, statusOf: RENDER_STATUS });
  const route = (path: string, handler: Handler): Route => ({
    method: 'POST',
    path,
    admit: admitInternal(deps.config.token),
    bodyLimitBytes: deps.config.maxCodeBytes * MAX_ESCAPE_FACTOR + BODY_OVERHEAD_BYTES,
    mediaTypes: ['application/json'],
    handler: withMac(deps.mac, shapeError, handler),
  });
  const loop = loopHandler(deps);
  const video = videoHandler(deps);
  return [
    route('/render', stillHandler(deps)),
    route('/inspect', inspectHandler(deps)),
    route('/loop', (request) => {
      const type = videoTypeOf(request);
      return type === undefined ? loop(request) : video(request, type);
    }),
  ];
}

function stillHandler({ renderer, engine, config }: SketchRoutesDeps): Handler {
  return async (request) => {
    const { twice, sketch, ...from } = parseStill(request, config);
    const { result, executionTimeMs, drawnBy } = await renderer.still(
      { ...from, signal: request.signal },
      sketch,
      twice,
    );
    return ok({
      pngBase64: result.png.toString('base64'),
      runtimeHash: result.runtimeHash,
      pixelHash: result.pixelHash,
      width: CANVAS_WIDTH,
      height: CANVAS_HEIGHT,
      ...versions(engine(), drawnBy),
      executionTimeMs,
    });
  };
}

function inspectHandler({ renderer, config }: SketchRoutesDeps): Handler {
  return async (request) => {
    const { sketch, ...from } = parseInspect(request, config);
    const { setup, draw } = await renderer.inspect({ ...from, signal: request.signal }, sketch);
    return ok({ definesSetup: setup, definesDraw: draw });
  };
}

function loopHandler({ renderer, engine, config, mac, logger }: SketchRoutesDeps): Handler {
  const shapeError = createErrorShaper({ logger, statusOf: RENDER_STATUS });
  return async (request) => {
    const { sketch, plan, frameHashes, ...from } = parseLoop(request, config);
    const order = { ...from, signal: request.signal };
    const present = (timed: Timed<Loop>): object =>
      loopBody(timed, plan, frameHashes, versions(engine(), timed.drawnBy));
    if (!accepts(request, 'text/event-stream')) {
      return ok(present(await renderer.loop(order, sketch, plan)));
    }
    return progressStream(request, { nonce: nonceOf(request), mac, shapeError }, async (onProgress) =>
      present(await renderer.loop(order, sketch, plan, { onProgress })),
    );
  };
}

function loopBody(
  { result, executionTimeMs }: Timed<Loop>,
  { totalFrames, fps }: FramePlan,
  frameHashes: boolean,
  versions: object,
): object {
  return {
    animationHash: result.animationHash,
    posterHash: result.posterHash,
    posterPngBase64: result.poster.toString('base64'),
    frames: totalFrames,
    fps,
    hashScheme: HASH_SCHEME,
    ...versions,
    executionTimeMs,
    ...(frameHashes && { frameHashes: result.frameHashes }),
  };
}

function versions(engine: Engine | string, drawnBy: DrawingEngine['identity']): object {
  if (typeof engine === 'string') return {};
  const { sdkVersion, rendererVersion } = engine;
  return { sdkVersion, rendererVersion, engine: drawnBy };
}
