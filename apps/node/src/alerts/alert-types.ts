/**
 * Types of alerts.
 * @see docs/spec.md, "Events"
 */
export const ALERT_TYPES = [
  'timestamping.failing',
  'signing_key.retiring',
  'quota.reached',
  'audit_log.invalid',
  'log.halted',
  'witness.silent',
  'node.not_ready',
] as const;

export type AlertType = (typeof ALERT_TYPES)[number];

/** A condition that holds now. */
export interface FiringAlert {
  readonly type: AlertType;
  /** Name of a witness, a kid, a tenant and month, a host; empty for the whole node. */
  readonly subject: string;
  /** Numbers, times, codes and names of operators; never content, keys or secrets. */
  readonly details: Readonly<Record<string, string | number>>;
}
