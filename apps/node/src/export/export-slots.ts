import { ServiceError } from '@cer/http-service';
import type { Slots } from '../limits/slots.js';

/** Each reads the database at the speed of its client. */
const AT_ONCE = { ofAHolder: 2, ofAll: 8 };
const RETRY_AFTER_SECONDS = '30';

/**
 * Takes a slot for an export in progress.
 * @returns a function that releases it; a second call has no effect
 * @throws ServiceError SERVICE_UNAVAILABLE when too many exports are in progress
 */
export async function takeExportSlot(slots: Slots, tenantId: string): Promise<() => void> {
  if (!(await slots.take('export', tenantId, AT_ONCE))) {
    throw new ServiceError({
      code: 'SERVICE_UNAVAILABLE',
      message: 'too many audit packages are being made: retry when one is finished',
      headers: { 'retry-after': RETRY_AFTER_SECONDS },
    });
  }
  let isTaken = true;
  return () => {
    if (isTaken) slots.release('export', tenantId);
    isTaken = false;
  };
}
