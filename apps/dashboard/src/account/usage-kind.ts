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
