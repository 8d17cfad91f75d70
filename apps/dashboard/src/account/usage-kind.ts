/**
 * Usage that node and bridge count for an account. Reads, as by auditors, are not counted.
 * @see docs/spec.md, "Control plane"
 */
export const USAGE_KINDS = ['certify', 'render', 'register', 'ingest'] as const;
export type UsageKind = (typeof USAGE_KINDS)[number];

export function isUsageKind(text: string): text is UsageKind {
  return USAGE_KINDS.some((kind) => kind === text);
}
