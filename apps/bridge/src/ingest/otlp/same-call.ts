import type { ModelCall } from './spans/model-call.js';
import type { Span } from './spans/span.js';

/** A span that is a call of a model, as far as it matters which spans record one and the same call. */
export interface Recorded {
  readonly span: Span;
  readonly call: Pick<ModelCall, 'operation' | 'model'>;
  /** How many of input and output have content. */
  readonly sides: number;
  readonly isRefused: boolean;
}

/**
 * Which calls to certify: when parent and child are the same operation on the same model, both record one call, such as
 * an SDK around an instrumented client, or `embed()` around its request. Of a chain the span with the most content is
 * kept; a parent of several calls only groups them.
 */
export function withoutRepeats<Call extends Recorded>(calls: readonly Call[]): readonly Call[] {
  const byId = new Map(calls.map((call) => [idOf(call.span), call]));
  const children = new Map<Call, Call[]>();
  const parents = new Map<Call, Call>();
  for (const call of calls) {
    const parent = byId.get(parentIdOf(call.span) ?? '');
    if (parent === undefined || parent === call || sameCallKey(parent) !== sameCallKey(call)) continue;
    parents.set(call, parent);
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [call]);
    else siblings.push(call);
  }
  const dropped = new Set<Call>();
  const seen = new Set<Call>();
  for (const call of calls) {
    const below = children.get(call) ?? [];
    if (below.length === 1) continue;
    // Upwards from the end of a chain, to the first parent of several calls, which is the end of another.
    const chain: Call[] = [];
    let at: Call | undefined = call;
    while (at !== undefined && !seen.has(at) && (chain.length === 0 || children.get(at)?.length === 1)) {
      seen.add(at);
      chain.push(at);
      at = parents.get(at);
    }
    const isFrame = below.some(({ isRefused }) => !isRefused);
    const kept = isFrame ? null : best(chain);
    for (const one of chain) if (one !== kept) dropped.add(one);
  }
  return calls.filter((call) => !dropped.has(call));
}

/** Spans with one key, one the parent of the other, are one call. */
export function sameCallKey({ call }: Pick<Recorded, 'call'>): string {
  return JSON.stringify([call.operation, call.model ?? null]);
}

function idOf({ traceId, spanId }: Recorded['span']): string {
  return `${traceId}:${spanId}`;
}

function parentIdOf({ traceId, parentSpanId }: Recorded['span']): string | null {
  return parentSpanId === null ? null : `${traceId}:${parentSpanId}`;
}

/** The first of the best: chains begin with the innermost span, the nearest to the model. */
function best<Call extends Recorded>(chain: readonly Call[]): Call | null {
  let found: Call | null = null;
  for (const call of chain) if (found === null || weight(call) > weight(found)) found = call;
  return found;
}

function weight({ isRefused, sides }: Recorded): number {
  return isRefused ? -1 : sides;
}
