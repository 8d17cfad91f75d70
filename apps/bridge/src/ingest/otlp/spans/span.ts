import type { JsonValue } from '@cer/canonical-json';

/** Attributes by name; of a name that is there twice the last one counts. */
export type Attributes = ReadonlyMap<string, JsonValue>;

export interface SpanEvent {
  readonly name: string;
  readonly attributes: Attributes;
  /** Number of attributes that the sender left out. */
  readonly droppedAttributes: number;
}

/** A span as OTLP carries it, as far as a certificate can be made of it. */
export interface Span {
  /** 32 lower-case hex digits; anything else when the sender is at fault. */
  readonly traceId: string;
  /** 16 lower-case hex digits. */
  readonly spanId: string;
  /** Null for the root of a trace. */
  readonly parentSpanId: string | null;
  readonly name: string;
  /** Nanoseconds since 1970. */
  readonly startNano: bigint;
  /** 0 when it has not ended. */
  readonly endNano: bigint;
  readonly attributes: Attributes;
  /** Number of attributes that the sender left out. */
  readonly droppedAttributes: number;
  readonly events: readonly SpanEvent[];
  /** Number of events that the sender left out. */
  readonly droppedEvents: number;
  readonly status: 'unset' | 'ok' | 'error';
  readonly resource: Attributes;
}

/** A request that is not an OTLP trace export, or one over a limit. The message names the rule, never the content. */
export class OtlpError extends Error {
  override readonly name = 'OtlpError';
  readonly kind: 'malformed' | 'too-large';

  constructor(kind: OtlpError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

export const MAX_ATTRIBUTE_DEPTH = 48;
/** Of one span; the usual SDK limit is 128. */
export const MAX_ATTRIBUTES = 4096;
export const MAX_EVENTS = 4096;

export function malformed(message: string): OtlpError {
  return new OtlpError('malformed', message);
}

export function tooMany(what: string, limit: number): OtlpError {
  return new OtlpError('too-large', `${what}: must be at most ${limit}`);
}

const STATUS: ReadonlyMap<number, Span['status']> = new Map([
  [1, 'ok'],
  [2, 'error'],
]);

export function statusOf(code: number): Span['status'] {
  return STATUS.get(code) ?? 'unset';
}

/** An integer that a double holds stays a number; a longer one becomes its decimal text. */
export function integerValue(value: number | bigint): number | string {
  if (typeof value === 'number') return value;
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER)
    ? Number(value)
    : value.toString();
}

/** JSON has no form for these; protobuf's JSON mapping writes their names. */
export function doubleValue(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}
