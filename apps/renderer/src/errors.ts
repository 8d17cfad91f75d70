import { HTTP_STATUS, ServiceError, type StatusTable } from '@cer/http-service';

/**
 * Why a render ends without a picture. 4xx: caused by the sketch or the request; a retry fails again. 5xx: caused by the
 * service; a retry may succeed.
 */
export const RENDER_STATUS = {
  ...HTTP_STATUS,
  /** The sketch threw, does not parse, or navigated away. */
  RENDER_ERROR: 422,
  /** It did not finish in its time. */
  RENDER_TIMEOUT: 422,
  RENDER_MEMORY_LIMIT: 422,
  /** Two renders of one sketch differ. */
  RENDER_NOT_REPRODUCIBLE: 422,
  /** It used something that no sketch may use: another canvas size, WEBGL, a clock. */
  PROTOCOL_VIOLATION: 400,
  /** The engine that a certificate names is not available here. */
  CANNOT_BE_JUDGED: 422,
  LOOP_MODE_ERROR: 400,
  /** No browser, a failed self-test, or a browser that ended during the job. */
  RENDERER_UNAVAILABLE: 503,
  /** Video was asked for where ffmpeg is not installed. */
  VIDEO_UNAVAILABLE: 501,
} as const satisfies StatusTable;

export type RenderCode = keyof typeof RENDER_STATUS;

/** A render that ends without a picture. */
export function renderFailure(
  code: RenderCode,
  message: string,
  more: { readonly line?: number; readonly retryAfterSeconds?: number } = {},
): ServiceError<RenderCode> {
  const { line, retryAfterSeconds } = more;
  return new ServiceError({
    code,
    message,
    ...(line !== undefined && { members: { line } }),
    ...(retryAfterSeconds !== undefined && { headers: { 'retry-after': String(retryAfterSeconds) } }),
  });
}

/** The browser is missing or ended during the job; a retry may succeed. */
export function unavailable(message: string): ServiceError<RenderCode> {
  return renderFailure('RENDERER_UNAVAILABLE', message, { retryAfterSeconds: 2 });
}
