/** Attributes of a span: patterns, counts and outcomes. Never an id of a customer, content, or a key. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Adds attributes to the current span. */
export type Note = (attributes: SpanAttributes) => void;

/** Header in which another service names the parent span of its request (W3C Trace Context). */
export interface IncomingTrace {
  readonly traceparent?: string;
  readonly tracestate?: string;
}

/**
 * Runs `work` inside a span; spans that it starts become children. A span whose work throws is marked as failed with
 * the class of the error, and the error is rethrown.
 */
export type Trace = <T>(
  name: string,
  attributes: SpanAttributes,
  work: (note: Note) => Promise<T>,
  incoming?: IncomingTrace,
) => Promise<T>;

const IGNORED: Note = () => undefined;

/** Disabled tracing: runs the work only. */
export const untraced: Trace = (_name, _attributes, work) => work(IGNORED);
