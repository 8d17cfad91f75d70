/**
 * Types of alerts.
 * @see docs/spec.md, "Events"
 */
export const ALERT_TYPES = [
  'timestamping.failing',
  'signing_key.retiring',
  'signing_key.revoked',
  'quota.reached',
  'dead_letters.reported',
  'audit_log.invalid',
  'log.halted',
  'witness.silent',
  'node.not_ready',
] as const;

export type AlertType = (typeof ALERT_TYPES)[number];

/** Types that tenants receive: conditions of their own account, and of the node where they concern its certificates. */
export const TENANT_ALERT_TYPES = [
  'timestamping.failing',
  'signing_key.retiring',
  'signing_key.revoked',
  'quota.reached',
  'dead_letters.reported',
] as const satisfies readonly AlertType[];

/** Whether tenants receive alerts of a type. */
export function isForTenants(type: AlertType): boolean {
  return TENANT_ALERT_TYPES.some((one) => one === type);
}

/** A message that a tenant asks for, to try a webhook. */
export const TEST_TYPE = 'webhook.test';

/** A condition that holds now. */
export interface FiringAlert {
  readonly type: AlertType;
  /** The tenant that it is about; absent: the node. */
  readonly tenantId?: string;
  /** Name of a witness, a kid, a tenant and month, a host; empty for the whole node. */
  readonly subject: string;
  /** Numbers, times, codes and names of operators; never content, keys or secrets. */
  readonly details: Readonly<Record<string, string | number>>;
}
