import type { FiringAlert } from './alert-types.js';
import type { AlertEndpoint } from './endpoints.js';
import type { PostWebhook } from './post-webhook.js';

/** The webhooks of tenants as endpoints. */
export interface TenantRecipients {
  readonly isEmpty: () => Promise<boolean>;
  /** Those that a condition concerns. */
  readonly endpointsFor: (alert: FiringAlert) => Promise<readonly AlertEndpoint[]>;
  readonly named: (names: readonly string[]) => Promise<readonly AlertEndpoint[]>;
  readonly post: PostWebhook;
}
