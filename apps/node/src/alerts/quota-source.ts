import type { QuotaUse } from '../limits/quota-block.js';
import type { AlertSource, Observation } from './source.js';

/** Shares of a quota that are reported, in percent. */
const REPORTED_PERCENT = [80, 100] as const;

/** Remembers which quotas are nearly used up until they are stored. */
export interface QuotaSource extends AlertSource {
  readonly note: (use: QuotaUse) => void;
}

/** Every share is reported once for each tenant, month and limit, by whichever node reaches it. */
export function createQuotaSource(): QuotaSource {
  const reached = new Map<string, Observation>();
  return {
    type: 'quota.reached',
    isComplete: false,
    note: ({ tenantId, month, used, limit }) => {
      for (const percent of REPORTED_PERCENT) {
        if (used * 100 < limit * percent) continue;
        const subject = `${tenantId} ${month} ${percent}% of ${limit}`;
        const details = { tenantId, month, percent, limit };
        reached.set(subject, { type: 'quota.reached', tenantId, subject, isFiring: true, details });
      }
    },
    observe: async (at) => {
      const month = at.toISOString().slice(0, 7);
      for (const [subject, { details }] of reached) if (details['month'] !== month) reached.delete(subject);
      return [...reached.values()];
    },
  };
}
