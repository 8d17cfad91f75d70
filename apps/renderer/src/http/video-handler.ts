import { accepts, type ServiceRequest, type ServiceResponse } from '@cer/http-service';
import { renderFailure } from '../errors.js';
import { findFfmpeg, startVideo, type VideoEncoder, type VideoType } from '../rendering/encode-video.js';
import { parseLoop } from './sketch-request.js';
import type { SketchRoutesDeps } from './sketch-routes-deps.js';

/** A loop as video, for viewing: it is neither hashed nor certified. */
export function videoHandler({
  renderer,
  config,
}: SketchRoutesDeps): (request: ServiceRequest, type: VideoType) => Promise<ServiceResponse> {
  return async (request, type) => {
    const ffmpeg = findFfmpeg(config.ffmpegPath);
    if (ffmpeg === undefined) throw renderFailure('VIDEO_UNAVAILABLE', 'video needs ffmpeg, which is not installed');
    const { tenantId, engine, sketch, plan } = parseLoop(request, config);
    // Started by the first picture: a request that waits for a slot, or is refused, has no process and no folder.
    let starting: Promise<VideoEncoder> | undefined;
    const video = (): Promise<VideoEncoder> => (starting ??= startVideo(ffmpeg, type, plan.fps));
    try {
      const onPicture = async (jpeg: Buffer): Promise<void> => (await video()).add(jpeg);
      await renderer.loop({ tenantId, engine, signal: request.signal }, sketch, plan, { onPicture });
      return { status: 200, headers: { 'content-type': type }, body: await (await video()).finish() };
    } finally {
      await starting?.then(
        (started) => started.discard(),
        () => undefined,
      );
    }
  };
}

/** The video that the client asks for; undefined for one that wants the loop itself. */
export function videoTypeOf(request: Pick<ServiceRequest, 'headers'>): VideoType | undefined {
  return (['video/webm', 'video/mp4'] as const).find((type) => accepts(request, type));
}
