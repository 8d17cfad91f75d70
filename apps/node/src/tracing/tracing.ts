import type { Trace } from '@cer/http-service';

/** Spans of what the node does. */
export interface Tracing {
  readonly trace: Trace;
  /** Sends what is left, as far as the receiver takes it in time. */
  readonly close: () => Promise<void>;
}
