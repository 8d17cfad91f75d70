import type { Handler, ServiceRequest } from '@cer/http-service';
import { renderFailure } from '../errors.js';
import { findFfmpeg, startVideo, type VideoType } from '../rendering/encode-video.js';
import { parseLoop } from './sketch-request.js';
import type { SketchRoutesDeps } from './sketch-routes-deps.js';

/** A loop as video, for viewing: it is neither hashed nor certified. */
export function videoHandler({ renderer, config }: SketchRoutesDeps): Handler {
  return async (request) => {
    const ffmpeg = findFfmpeg(config.ffmpegPath);
    if (ffmpeg === undefined) throw renderFailure('VIDEO_UNAVAILABLE', 'video needs ffmpeg, which is not installed');
    const { tenantId, engine, sketch, plan } = parseLoop(request, config);
    const type = videoTypeOf(request);
    const video = await startVideo(ffmpeg, type, plan.fps);
    try {
      const onPicture = (jpeg: Buffer): Promise<void> => video.add(jpeg);
      await renderer.loop({ tenantId, engine, signal: request.signal }, sketch, plan, { onPicture });
      return { status: 200, headers: { 'content-type': type }, body: await video.finish() };
    } finally {
      await video.discard();
    }
  };
}

function videoTypeOf({ headers }: ServiceRequest): VideoType {
  return headers['accept']?.includes('video/webm') === true ? 'video/webm' : 'video/mp4';
}
