/** An address to which the node posts the alerts of a tenant. Its secrets are derived and not stored. */
export interface TenantWebhook {
  /** `wh_` and a UUID. */
  readonly webhookId: string;
  readonly tenantId: string;
  readonly url: string;
  /** Null: every type. */
  readonly types: readonly string[] | null;
  /** The commitment secret that its secrets are derived from. */
  readonly secretId: string;
  /** From 1; the secret of the version before signs too until `previousUntilMs`. */
  readonly secretVersion: number;
  readonly previousUntilMs: number;
  readonly createdMs: number;
}

/** `superseded`: another rotation preceded this one, and its caller was shown the new secret. */
export type WebhookRotation = 'rotated' | 'superseded' | 'unknown';

/** Webhooks of tenants. */
export interface WebhookStore {
  /** @returns false when the tenant has `limit` others, or another webhook has its id */
  add(webhook: TenantWebhook, limit: number): Promise<boolean>;
  /** Oldest first. */
  list(tenantId: string): Promise<readonly TenantWebhook[]>;
  find(tenantId: string, webhookId: string): Promise<TenantWebhook | null>;
  /** Of every tenant. */
  all(): Promise<readonly TenantWebhook[]>;
  isEmpty(): Promise<boolean>;
  byIds(webhookIds: readonly string[]): Promise<readonly TenantWebhook[]>;
  /** Begins the next version of the secret. */
  rotate(
    webhook: Pick<TenantWebhook, 'tenantId' | 'webhookId' | 'secretVersion' | 'previousUntilMs'>,
  ): Promise<WebhookRotation>;
  /** Removes a webhook, if it is there, and its deliveries. */
  remove(tenantId: string, webhookId: string): Promise<void>;
}
