import { ServiceError } from '@cer/http-service';

/** Maximum concurrent exports. Each reads the database at the speed of its client. */
const AT_ONCE = 8;
const AT_ONCE_OF_A_TENANT = 2;
const RETRY_AFTER_SECONDS = '30';

/** Slots of the exports in progress. */
export class ExportSlots {
  readonly #taken = new Map<string, number>();

  /**
   * Takes a slot.
   * @returns a function that releases it; a second call has no effect
   * @throws ServiceError SERVICE_UNAVAILABLE when too many exports are in progress
   */
  take(tenantId: string): () => void {
    const own = this.#taken.get(tenantId) ?? 0;
    const all = [...this.#taken.values()].reduce((sum, count) => sum + count, 0);
    if (own >= AT_ONCE_OF_A_TENANT || all >= AT_ONCE) {
      throw new ServiceError({
        code: 'SERVICE_UNAVAILABLE',
        message: 'too many audit packages are being made: retry when one is finished',
        headers: { 'retry-after': RETRY_AFTER_SECONDS },
      });
    }
    this.#taken.set(tenantId, own + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      const left = (this.#taken.get(tenantId) ?? 0) - 1;
      if (left > 0) this.#taken.set(tenantId, left);
      else this.#taken.delete(tenantId);
    };
  }
}
