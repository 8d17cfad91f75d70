import { randomUUID } from 'node:crypto';

import type { Store } from '../../src/store/index.js';

/** Stores a message of an alert to the operator that was not delivered yet. @returns its id */
export async function waitingDelivery({ alerts }: Pick<Store, 'alerts'>, subject = 'w'): Promise<string> {
  const type = 'witness.silent';
  const deliveryId = `msg_${randomUUID()}`;
  await alerts.change({ type, subject, isFiring: true, changedMs: 1 }, [
    { tenantId: null, deliveryId, endpoint: 'ops', type, payload: `{"type":"${type}"}`, createdMs: 1 },
  ]);
  return deliveryId;
}
