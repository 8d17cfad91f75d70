import type { Delivery } from './node-webhooks.js';

/** What the form of a webhook calls its fields. */
export const WEBHOOK_LABELS = { url: 'Address', types: 'What it receives' } as const;

/** The types of alerts about an account. */
export const ALERT_TYPES = [
  ['quota.reached', 'Quota', '80 or 100 % of the month is used.'],
  ['dead_letters.reported', 'Dead letters', 'A program reported certificates that the node refused for good.'],
  ['timestamping.failing', 'Timestamps', 'Certificates have waited ten minutes for their external timestamp.'],
  [
    'signing_key.retiring',
    'Signing key',
    'The key of the node is about to be replaced: verifiers need the new key set.',
  ],
  [
    'signing_key.revoked',
    'Revoked key',
    'A key of the node was revoked: certificates that it signed may no longer verify.',
  ],
] as const;

/** The name of a type; of a later release its own. */
export function typeName(type: string): string {
  if (type === 'webhook.test') return 'Test';
  return ALERT_TYPES.find(([known]) => known === type)?.[1] ?? type;
}

const RESULTS: ReadonlyMap<string, string> = new Map([
  ['ADDRESS_REFUSED', 'Not called: the address is not public.'],
  ['INSECURE_URL', 'Not called: the address is not https.'],
  ['NAME_UNRESOLVED', 'The name has no address.'],
  ['TIMEOUT', 'No answer within ten seconds.'],
  ['UNREACHABLE', 'No connection.'],
]);

/** The result of the last attempt. */
export function resultText({ result }: Pick<Delivery, 'result'>): string {
  if (result === null) return 'Not sent yet.';
  return RESULTS.get(result) ?? (/^\d+$/.test(result) ? `Answered ${result}.` : result);
}
