import { sameCallKey, type Recorded } from './same-call.js';

/** About 20 MB. */
const MAX_CALLS = 50_000;
/** An iterator of a map passes the places of all that were removed before: with one for each call, exports take seconds. */
const REMOVED_AT_ONCE = 5_000;

/**
 * The calls that this instance certified lately. Parent and child that record one call may come in different exports:
 * the later one is then left out. An instance that did not see the first one certifies both.
 */
export class RecentCalls {
  /** Which call a span is, the oldest first. */
  readonly #spans = new Map<string, string>();
  /** Spans whose child is the call. */
  readonly #parents = new Map<string, string>();

  /** Another span of the call is certified already, and this one is not. */
  hasOther(tenantId: string, recorded: Recorded): boolean {
    const { span } = recorded;
    const call = sameCallKey(recorded);
    const at = (spanId: string): string => keyOf(tenantId, span.traceId, spanId);
    if (this.#spans.has(at(span.spanId))) return false;
    return (
      this.#parents.get(at(span.spanId)) === call ||
      (span.parentSpanId !== null && this.#spans.get(at(span.parentSpanId)) === call)
    );
  }

  /**
   * The calls to certify, added before they are, so that exports in progress see each other: what was read before
   * another export was taken may be certified from there by now.
   */
  take<Call extends Recorded>(tenantId: string, calls: readonly Call[]): readonly Call[] {
    return calls.filter((call) => {
      if (call.isRefused) return true;
      if (this.hasOther(tenantId, call)) return false;
      this.add(tenantId, call);
      return true;
    });
  }

  add(tenantId: string, recorded: Recorded): void {
    const { traceId, spanId, parentSpanId } = recorded.span;
    const call = sameCallKey(recorded);
    put(this.#spans, keyOf(tenantId, traceId, spanId), call);
    if (parentSpanId !== null) put(this.#parents, keyOf(tenantId, traceId, parentSpanId), call);
  }

  /** When it was not certified. */
  remove(tenantId: string, { span }: Pick<Recorded, 'span'>): void {
    const { traceId, spanId, parentSpanId } = span;
    this.#spans.delete(keyOf(tenantId, traceId, spanId));
    if (parentSpanId !== null) this.#parents.delete(keyOf(tenantId, traceId, parentSpanId));
  }
}

function keyOf(tenantId: string, traceId: string, spanId: string): string {
  return `${tenantId}:${traceId}:${spanId}`;
}

function put(map: Map<string, string>, key: string, value: string): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= MAX_CALLS) return;
  let left = REMOVED_AT_ONCE;
  for (const oldest of map.keys()) {
    if (left === 0) break;
    left -= 1;
    map.delete(oldest);
  }
}
