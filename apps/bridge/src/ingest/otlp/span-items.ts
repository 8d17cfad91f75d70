import type { Item } from '../item.js';
import { dialectOf } from './dialects/registry.js';
import { executionIdOf, project, type ProjectionRules } from './projection.js';
import type { Span } from './spans/span.js';

/** A span that is a call of a model, on its way to a certificate. */
export interface SpanItem {
  readonly span: Span;
  readonly item: Item;
}

/** How many are made before other requests get a turn. */
const PAUSE_AFTER = 200;

/** The model calls among spans, in order. Other spans are none of the bridge's business: neither kept nor refused. */
export async function spanItems(spans: readonly Span[], rules: ProjectionRules): Promise<readonly SpanItem[]> {
  const found: SpanItem[] = [];
  for (const [at, span] of spans.entries()) {
    const item = spanItem(span, found.length, rules);
    if (item !== null) found.push({ span, item });
    if (at % PAUSE_AFTER === PAUSE_AFTER - 1) await new Promise((resolve) => setImmediate(resolve));
  }
  return found;
}

/** The item of one span; null when it is not a model call. */
export function spanItem(span: Span, index: number, rules: ProjectionRules): Item | null {
  const dialect = dialectOf(span);
  if (dialect === null) return null;
  const projected = project(span, dialect, rules);
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
