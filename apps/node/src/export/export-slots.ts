import { ServiceError } from '@cer/http-service';

/** How many packages are made at once. Each reads the database as fast as its client takes it. */
const AT_ONCE = 8;
const AT_ONCE_OF_A_TENANT = 2;
const RETRY_AFTER_SECONDS = '30';

/** The packages that are being made. */
export class ExportSlots {
  readonly #taken = new Map<string, number>();

  /**
   * Takes a slot.
   * @returns gives it back; a second call does nothing
   * @throws ServiceError SERVICE_UNAVAILABLE when too many packages are being made
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
