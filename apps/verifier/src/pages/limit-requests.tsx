import { json, networkOf, type RequestHead, type Route, type ServiceResponse } from '@cer/http-service';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { LimitedPage } from '../view/limited-page.js';
import { TEXTS } from '../view/texts.js';
import { page, prefersPage, type PageSettings } from './page-response.js';

const MINUTE_S = 60;

/** Puts a limit per client address before routes that cost a look-up and a verification. */
export function limitRequests(routes: readonly Route[], perMinute: number, settings: PageSettings): Route[] {
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
  // No route here reads a body, so nothing is refused after it that the order of refusals has before.
  return routes.map((route): Route => {
    if (route.body === 'stream') throw new Error('a route that reads a stream must be limited before its body');
    const { handler } = route;
    return {
      ...route,
      handler: async (request) => {
        const seconds = await waitFor(request);
        return seconds === 0 ? handler(request) : refusal(settings, request, seconds);
      },
    };
  });
}

/** A page for people, the standard error body for programs. @see docs/spec.md, "Errors" */
function refusal(settings: PageSettings, request: RequestHead, seconds: number): ServiceResponse {
  const headers = { 'retry-after': String(seconds), 'cache-control': 'no-store', vary: 'Accept' };
  if (!prefersPage(request)) {
    return json(429, { error: 'RATE_LIMITED', requestId: request.requestId }, headers);
  }
  const { title, lead } = TEXTS.limited;
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
