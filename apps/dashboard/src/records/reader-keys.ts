import { issueApiKey } from '../account/api-key.js';
import type { Store } from '../store/index.js';

const LIFETIME_MS = 10 * 60_000;
/** A key with less time left is replaced, so that it outlives the request. */
const RENEW_MS = 2 * 60_000;

/** The key with which the dashboard reads the records of a tenant. */
export type ReaderKeys = (tenantId: string) => Promise<string>;

/**
 * Makes keys of ten minutes, for one tenant and the scope `audit`. They are in this process only; the store has their
 * hashes, under which the node asks whose they are.
 */
export function createReaderKeys(store: Pick<Store, 'readerKeys'>, now: () => Date): ReaderKeys {
  const kept = new Map<string, { readonly key: string; readonly expiresAt: Date }>();
  return async (tenantId) => {
    const time = now().getTime();
    const known = kept.get(tenantId);
    if (known !== undefined && known.expiresAt.getTime() - time > RENEW_MS) return known.key;
    for (const [other, { expiresAt }] of kept) if (expiresAt.getTime() <= time) kept.delete(other);
    const { key, keyHash } = issueApiKey();
    const expiresAt = new Date(time + LIFETIME_MS);
    await store.readerKeys.add({ keyHash, tenantId, expiresAt });
    kept.set(tenantId, { key, expiresAt });
    return key;
  };
}
