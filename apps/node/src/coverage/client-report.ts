import * as z from 'zod';
import type { ClientReport, CoverageRecord } from '../store/index.js';

/** Maximum of one count of one client: so that sums stay exact. */
const MAX_COUNT = 1e12;

const count = z.int().min(0).max(MAX_COUNT);
const Counts = z.object({
  clientId: z.uuid(),
  report: count.min(1),
  isLast: z.boolean(),
  seen: count,
  open: count,
  sealed: count,
  skipped: count,
  unsealed: count,
  dropped: count,
  waiting: count,
  dead: count,
  outcomes: z.object({ aborted: count, failed: count, truncated: count }),
});
const Report = z.object({
  snapshot: z.object({ timestamp: z.iso.datetime(), appId: z.string().nullish() }),
  context: z.object({ signals: z.array(z.object({ type: z.string(), source: z.string(), payload: z.unknown() })) }),
});

/**
 * Reads the counts in a certificate of the client of this repository.
 * @returns null for a certificate that shows none, such as one of other members or a redacted one
 * @see docs/clients.md, "Is anything missing?"
 */
export function readClientReport({ tenantId, json }: CoverageRecord): ClientReport | null {
  const bundle = Report.safeParse(JSON.parse(json));
  if (!bundle.success) return null;
  const { snapshot, context } = bundle.data;
  const signal = context.signals.find(({ type, source }) => type === 'coverage' && source === '@cer/client');
  const counts = Counts.safeParse(signal?.payload);
  if (!counts.success) return null;
  const { outcomes, ...members } = counts.data;
  const day = new Date(snapshot.timestamp).toISOString().slice(0, 10);
  const { aborted, failed, truncated } = outcomes;
  return { tenantId, day, appId: snapshot.appId ?? null, ...members, aborted, failed, truncated };
}
