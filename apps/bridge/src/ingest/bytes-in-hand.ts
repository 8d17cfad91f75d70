import { unavailable } from '../errors.js';

/** One tenant may have this share of the bytes. */
const SHARE_OF_TENANT = 1 / 2;

/** What one request has in memory of what was sent. */
export interface Place {
  /**
   * Counts bytes before they are kept.
   * @throws ServiceError SERVICE_UNAVAILABLE when there is no room; nothing is counted then
   */
  readonly take: (bytes: number) => void;
  readonly give: (bytes: number) => void;
  /** Gives all of it back; afterwards the place counts nothing. */
  readonly leave: () => void;
}

/** Makes the place of a request. */
export type BytesInHand = (tenantId: string) => Place;

/**
 * Bounds what all senders together have in memory: each could send little and slowly and hold it for as long as a
 * request may take. A single request has room whatever its size, or a small bound would shut it out for ever.
 */
export function bytesInHand(limitBytes: number): BytesInHand {
  const byTenant = new Map<string, number>();
  let all = 0;

  return (tenantId) => {
    let own = 0;
    const add = (bytes: number): void => {
      own += bytes;
      all += bytes;
      const tenants = (byTenant.get(tenantId) ?? 0) + bytes;
      if (tenants === 0) byTenant.delete(tenantId);
      else byTenant.set(tenantId, tenants);
    };
    const hasRoom = (inHand: number, limit: number, more: number): boolean => inHand === own || inHand + more <= limit;
    return {
      take: (bytes) => {
        const tenants = byTenant.get(tenantId) ?? 0;
        if (!hasRoom(all, limitBytes, bytes) || !hasRoom(tenants, limitBytes * SHARE_OF_TENANT, bytes)) {
          throw unavailable('Too much is being sent at once: retry');
        }
        add(bytes);
      },
      give: (bytes) => {
        add(-Math.min(bytes, own));
      },
      leave: () => {
        add(-own);
      },
    };
  };
}
