import * as z from 'zod';

/**
 * The counts of node and bridge for an account. Reads, as by auditors, are not counted. Executions of the kind
 * `refused` were refused by the bridge before it asked the node, and use nothing of a plan.
 * @see docs/spec.md, "Control plane"
 */
export const USAGE_KINDS = ['certify', 'render', 'register', 'ingest', 'refused'] as const;
export type UsageKind = (typeof USAGE_KINDS)[number];

export function isUsageKind(text: string): text is UsageKind {
  return USAGE_KINDS.some((kind) => kind === text);
}

/** Maximum items of one report, and maximum count of an item. */
export const MAX_USAGE_ITEMS = 1000;
export const MAX_USAGE_COUNT = 10_000_000;

export const UsageReport = z.object({
  /** Chosen by the reporter: a report that is repeated counts once. */
  reportId: z.string().regex(/^[A-Za-z0-9_-]{8,64}$/, { error: 'must be 8 to 64 letters, digits, "-" or "_"' }),
  items: z
    .array(
      z.object({
        tenantId: z.string().min(1).max(100),
        kind: z.enum(USAGE_KINDS),
        count: z.number().int().min(1).max(MAX_USAGE_COUNT),
      }),
    )
    .min(1)
    .max(MAX_USAGE_ITEMS),
});
