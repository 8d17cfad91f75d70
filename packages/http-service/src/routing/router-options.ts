import type { ErrorShaping } from '../answers/error-shaper.js';
import type { TrustedProxies } from '../callers/client-address.js';
import type { Handler } from '../handler/handler.js';
import type { Metrics } from '../telemetry/metrics.js';
import type { Trace } from '../telemetry/trace.js';
import type { Route } from './route.js';

/** Answers unknown paths, for every method. */
export type NotFound = Pick<Route, 'admit'> & { readonly handler: Handler };

export interface RouterOptions extends ErrorShaping {
  readonly metrics?: Metrics;
  /** Proxies whose `X-Forwarded-For` is trusted; none by default. */
  readonly trustedProxies?: TrustedProxies | undefined;
  /** The answer for unknown paths; 404 NOT_FOUND by default. They are logged, counted and traced as `(unmatched)`. */
  readonly notFound?: NotFound;
  /** Spans of requests; none by default. */
  readonly trace?: Trace;
  /** Maximum time, in ms, that an answer stays unread before its connection is closed. */
  readonly stallMs?: number;
  /** Maximum bytes of large answers in memory, all together; 256 MiB by default. */
  readonly answersAtOnceBytes?: number;
  /** Maximum bytes of large bodies in memory, all together; 256 MiB by default. Streamed bodies do not count. */
  readonly bodiesAtOnceBytes?: number;
}
