import { hkdfSync } from 'node:crypto';
import type { AlertEndpoint } from '../alerts/endpoints.js';
import type { CommitmentSecrets } from '../certify/commitment-secrets.js';
import type { TenantWebhook } from '../store/index.js';

const SECRET_BYTES = 32;

/**
 * The secret of one version of a webhook, derived so that the database alone reveals no secret.
 * @returns `whsec_` and base64, as receivers of Standard Webhooks take it
 */
export function webhookSecret(
  secrets: Pick<CommitmentSecrets, 'secretOf'>,
  { tenantId, webhookId, secretId }: Pick<TenantWebhook, 'tenantId' | 'webhookId' | 'secretId'>,
  version: number,
): string {
  const info = JSON.stringify(['cer tenant webhook', tenantId, webhookId, version]);
  const bytes = hkdfSync('sha256', secrets.secretOf(secretId), new Uint8Array(0), info, SECRET_BYTES);
  return `whsec_${Buffer.from(bytes).toString('base64')}`;
}

/** A webhook as an endpoint of alerts, with the secrets that sign now. */
export function endpointOf(
  secrets: Pick<CommitmentSecrets, 'secretOf'>,
  webhook: TenantWebhook,
  types: AlertEndpoint['types'],
  nowMs: number,
): AlertEndpoint {
  const { tenantId, webhookId: name, url, secretVersion, previousUntilMs } = webhook;
  const versions = nowMs < previousUntilMs ? [secretVersion, secretVersion - 1] : [secretVersion];
  return { tenantId, name, url, types, secrets: versions.map((version) => webhookSecret(secrets, webhook, version)) };
}
