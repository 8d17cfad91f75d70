import { ServiceError, type Route, type RequestHead } from '@cer/http-service';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

const MINUTE_S = 60;

/** Puts a limit per client address before routes that cost a look-up and a verification. */
export function limitRequests(routes: readonly Route[], perMinute: number): Route[] {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: MINUTE_S });
  const admit = async (head: RequestHead): Promise<void> => {
    try {
      await limiter.consume(networkOf(head.remoteAddress));
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      const seconds = String(Math.max(1, Math.ceil(refused.msBeforeNext / 1000)));
      throw new ServiceError({ code: 'RATE_LIMITED', headers: { 'retry-after': seconds } });
    }
  };
  return routes.map((route) => ({ ...route, admit }));
}

/** One visitor has a whole IPv6 network to choose addresses from. */
function networkOf(address: string): string {
  return address.includes(':') ? address.split(':').slice(0, 4).join(':') : address;
}
