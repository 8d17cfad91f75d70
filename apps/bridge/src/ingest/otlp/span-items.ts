import { setImmediate as nextTurn } from 'node:timers/promises';
import { TOO_MANY_PIECES } from '../executions/execution-item.js';
import type { Item, ItemLabel } from '../item.js';
import { haveFewPieces } from '../json-pieces.js';
import { dialectOf } from './dialects/registry.js';
import { evidenceOf, executionIdOf, project, type Projected, type ProjectionRules } from './projection.js';
import { withoutRepeats, type Recorded } from './same-call.js';
import { jsonTextsOf } from './spans/json-texts.js';
import type { Span } from './spans/span.js';

/** A span that is a call of a model, on its way to a certificate. */
export interface SpanItem extends Recorded {
  readonly item: Item;
}

/** That a call is certified already, from another span. */
type IsElsewhere = (recorded: Recorded) => boolean;

/** Maximum work, in ms, before other requests get a turn. */
const TURN_MS = 20;
/** Of a span that is not read. */
const UNREAD = { call: { operation: '', model: undefined }, sides: 0 };

/**
 * The model calls among spans, in order, each once. Other spans are neither kept nor refused, and neither are spans that
 * record the call of their parent or child again.
 */
export async function spanItems(
  spans: readonly Span[],
  rules: ProjectionRules,
  isElsewhere: IsElsewhere = () => false,
): Promise<readonly SpanItem[]> {
  const calls: SpanItem[] = [];
  let since = performance.now();
  for (const span of spans) {
    const call = spanItem(span, rules, isElsewhere);
    if (call !== null) calls.push(call);
    if (performance.now() - since < TURN_MS) continue;
    await nextTurn();
    since = performance.now();
  }
  return withoutRepeats(calls).map((call, index) => ({ ...call, item: { ...call.item, index } }));
}

/** Null for a span that is not a model call to certify. Of its content only the request is kept, as bytes. */
function spanItem(span: Span, rules: ProjectionRules, isElsewhere: IsElsewhere): SpanItem | null {
  const dialect = dialectOf(span);
  if (dialect === null) return null;
  if (!haveFewPieces(jsonTextsOf(span))) {
    const refusal = { status: 413, error: TOO_MANY_PIECES };
    return { span, ...UNREAD, isRefused: true, item: { ...labelOf(span), refusal } };
  }
  const evidence = evidenceOf(span, dialect);
  const projected = project(span, dialect, evidence, rules);
  const { operation, model, input, output } = evidence.call;
  const sides = [input, output].filter((side) => side !== undefined).length;
  const call = { operation, model };
  const isRefused = 'refusal' in projected;
  if (isElsewhere({ span, call, sides, isRefused })) return null;
  return { span, call, sides, isRefused, item: itemOf(span, projected) };
}

function itemOf(span: Span, projected: Projected): Item {
  if ('refusal' in projected) return { ...labelOf(span), refusal: { status: 400, error: projected.refusal } };
  const { request } = projected;
  const { provider, model } = request;
  return {
    index: 0,
    executionId: executionIdOf(span),
    provider: typeof provider === 'string' ? provider : null,
    model: typeof model === 'string' ? model : null,
    line: Buffer.from(JSON.stringify(request)),
  };
}

/** Its index is given when it is known which calls are sent. */
function labelOf(span: Span): ItemLabel {
  return { index: 0, executionId: executionIdOf(span), provider: null, model: null };
}
