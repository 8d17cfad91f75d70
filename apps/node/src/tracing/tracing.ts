import type { Trace } from '@cer/http-service/process';

/** Spans of the node's work. */
export interface Tracing {
  readonly trace: Trace;
  /** Sends the remaining spans within a time limit. */
  readonly close: () => Promise<void>;
}
