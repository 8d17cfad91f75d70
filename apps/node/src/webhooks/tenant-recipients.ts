import { isForTenants, TENANT_ALERT_TYPES } from '../alerts/alert-types.js';
import type { AlertEndpoint } from '../alerts/endpoints.js';
import type { PostWebhook } from '../alerts/post-webhook.js';
import type { TenantRecipients } from '../alerts/tenant-recipients.js';
import type { CommitmentSecrets } from '../certify/commitment-secrets.js';
import type { Store, TenantWebhook } from '../store/index.js';
import { endpointOf } from './webhook-secret.js';

export interface TenantRecipientsDeps extends Pick<Store, 'webhooks'> {
  readonly secrets: Pick<CommitmentSecrets, 'secretOf'>;
  readonly post: PostWebhook;
  readonly now: () => Date;
}

/** Reads webhooks when something is to be sent: a tenant receives its own conditions and those of the node. */
export function tenantRecipients({ webhooks, secrets, post, now }: TenantRecipientsDeps): TenantRecipients {
  const endpoints = (found: readonly TenantWebhook[]): readonly AlertEndpoint[] =>
    found.map((webhook) => endpointOf(secrets, webhook, wantedTypes(webhook), now().getTime()));
  return {
    isEmpty: () => webhooks.isEmpty(),
    endpointsFor: async ({ type, tenantId }) => {
      if (!isForTenants(type)) return [];
      return endpoints(tenantId === undefined ? await webhooks.all() : await webhooks.list(tenantId));
    },
    named: async (names) => endpoints(await webhooks.byIds(names)),
    post,
  };
}

/** Types of a later release are ignored. */
function wantedTypes({ types }: TenantWebhook): AlertEndpoint['types'] {
  return types === null ? null : TENANT_ALERT_TYPES.filter((type) => types.includes(type));
}
