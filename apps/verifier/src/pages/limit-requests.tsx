import { json, networkOf, type Handler, type RequestHead, type ServiceResponse } from '@cer/http-service';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { LimitedPage } from '../view/limited-page.js';
import { TEXTS } from '../view/texts.js';
import { frameMessage, isFramed } from './frame-response.js';
import { page, prefersPage, type PageSettings } from './page-response.js';

const MINUTE_S = 60;

/**
 * Makes one limit per client address for all handlers that cost a look-up and a verification.
 * @param perMinute requests of one address
 * @returns puts the limit before a handler; over it the handler's answer is 429
 */
export function createRequestLimit(perMinute: number, settings: PageSettings): (handler: Handler) => Handler {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: MINUTE_S });
  /** @returns in how many seconds the client may ask again; 0 where it may now */
  const waitFor = async ({ remoteAddress }: RequestHead): Promise<number> => {
    try {
      await limiter.consume(networkOf(remoteAddress));
      return 0;
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      return Math.max(1, Math.ceil(refused.msBeforeNext / 1000));
    }
  };
  return (handler) => async (request) => {
    const seconds = await waitFor(request);
    return seconds === 0 ? handler(request) : refusal(settings, request, seconds);
  };
}

/** A page for people, the standard error body for programs. @see docs/spec.md, "Errors" */
function refusal(settings: PageSettings, request: RequestHead, seconds: number): ServiceResponse {
  const headers = { 'retry-after': String(seconds), 'cache-control': 'no-store', vary: 'Accept' };
  if (!prefersPage(request)) {
    return json(429, { error: 'RATE_LIMITED', requestId: request.requestId }, headers);
  }
  const { title, lead, wait, seconds: unit } = TEXTS.limited;
  if (isFramed(request)) return frameMessage(settings, 429, { title, lead: `${wait}${seconds}${unit}` }, headers);
  return page(
    settings,
    429,
    {
      title: `${title} – ${TEXTS.site.name}`,
      description: lead,
      path: '/',
      children: <LimitedPage seconds={seconds} />,
    },
    headers,
  );
}
