import type { Item } from '../item.js';
import { dialectOf } from './dialects/registry.js';
import { evidenceOf, executionIdOf, project, type Projected, type ProjectionRules } from './projection.js';
import { withoutRepeats, type Recorded } from './same-call.js';
import type { Span } from './spans/span.js';

/** A span that is a call of a model, on its way to a certificate. */
export interface SpanItem extends Recorded {
  readonly item: Item;
}

interface ProjectedCall extends Recorded {
  readonly projected: Projected;
}

/** That a call is certified already, from another span. */
type IsElsewhere = (recorded: Recorded) => boolean;

/** Maximum items made before other requests get a turn. */
const PAUSE_AFTER = 200;

/**
 * The model calls among spans, in order, each once. Other spans are neither kept nor refused, and neither are spans that
 * record the call of their parent or child again.
 */
export async function spanItems(
  spans: readonly Span[],
  rules: ProjectionRules,
  isElsewhere: IsElsewhere = () => false,
): Promise<readonly SpanItem[]> {
  const calls: ProjectedCall[] = [];
  for (const [at, span] of spans.entries()) {
    const call = projectedCall(span, rules);
    if (call !== null && !isElsewhere(call)) calls.push(call);
    if (at % PAUSE_AFTER === PAUSE_AFTER - 1) await nextTurn();
  }
  const items: SpanItem[] = [];
  for (const [index, { span, call, isRefused, projected }] of withoutRepeats(calls).entries()) {
    items.push({ span, call, isRefused, item: itemOf(span, index, projected) });
    if (index % PAUSE_AFTER === PAUSE_AFTER - 1) await nextTurn();
  }
  return items;
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Null for a span that is not a model call. */
function projectedCall(span: Span, rules: ProjectionRules): ProjectedCall | null {
  const dialect = dialectOf(span);
  if (dialect === null) return null;
  const evidence = evidenceOf(span, dialect);
  const projected = project(span, dialect, evidence, rules);
  return { span, call: evidence.call, projected, isRefused: 'refusal' in projected };
}

function itemOf(span: Span, index: number, projected: Projected): Item {
  const executionId = executionIdOf(span);
  if ('refusal' in projected) {
    return { index, executionId, provider: null, model: null, refusal: { status: 400, error: projected.refusal } };
  }
  const { request } = projected;
  const { provider, model } = request;
  return {
    index,
    executionId,
    provider: typeof provider === 'string' ? provider : null,
    model: typeof model === 'string' ? model : null,
    line: Buffer.from(JSON.stringify(request)),
  };
}
