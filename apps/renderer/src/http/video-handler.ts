import type { Handler, ServiceRequest, ServiceResponse } from '@cer/http-service';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { renderFailure } from '../errors.js';
import { findFfmpeg, startVideo, type VideoType } from '../video/encode-video.js';
import { MAC_HEADER, nonceOf } from './mac.js';
import { parseLoop } from './sketch-request.js';
import type { SketchRoutesDeps } from './sketch-routes.js';

/** A loop as video, for looking at: no hash is taken of it and nothing certified. */
export function videoHandler({ renderer, config, mac }: SketchRoutesDeps): Handler {
  return async (request) => {
    const ffmpeg = findFfmpeg(config.ffmpegPath);
    if (ffmpeg === undefined) throw renderFailure('VIDEO_UNAVAILABLE', 'video needs ffmpeg, which is not installed');
    const { tenantId, sketch, plan } = parseLoop(request, config);
    const type = videoTypeOf(request);
    const video = await startVideo(ffmpeg, type, plan.fps);
    try {
      await renderer.loop({ tenantId, signal: request.signal }, sketch, plan, { onPicture: (jpeg) => video.add(jpeg) });
      const { path, bytes } = await video.finish();
      const hash = createHash('sha256');
      await pipeline(createReadStream(path), hash);
      const headers = {
        'content-type': type,
        'content-length': String(bytes),
        [MAC_HEADER]: mac.of(nonceOf(request), request.body, `sha256:${hash.digest('hex')}`),
      };
      return { status: 200, headers, body: fileBody(path, () => video.discard()) } satisfies ServiceResponse;
    } catch (error) {
      await video.discard();
      throw error;
    }
  };
}

function videoTypeOf({ headers }: ServiceRequest): VideoType {
  return headers['accept']?.includes('video/webm') === true ? 'video/webm' : 'video/mp4';
}

async function* fileBody(path: string, done: () => Promise<void>): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) yield chunk;
  } finally {
    await done();
  }
}
