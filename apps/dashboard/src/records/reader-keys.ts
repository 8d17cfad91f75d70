import { issueApiKey } from '../account/api-key.js';
import type { ReaderKey, Store } from '../store/index.js';

const LIFETIME_MS = 10 * 60_000;
/** A key with less time left is replaced, so that it outlives the request. */
const RENEW_MS = 2 * 60_000;

/** The key with which the dashboard asks the node for a tenant: to read, to certify a review, or to change webhooks. */
export type ReaderKeys = (tenantId: string, scope: ReaderKey['scope']) => Promise<string>;

/**
 * Makes keys of ten minutes, for one tenant and one scope. They are in this process only; the store has their hashes,
 * under which the node asks whose they are.
 */
export function createReaderKeys(store: Pick<Store, 'readerKeys'>, now: () => Date): ReaderKeys {
  const kept = new Map<string, { readonly key: string; readonly expiresAt: Date }>();
  return async (tenantId, scope) => {
    const time = now().getTime();
    const name = `${scope} ${tenantId}`;
    const known = kept.get(name);
    if (known !== undefined && known.expiresAt.getTime() - time > RENEW_MS) return known.key;
    for (const [other, { expiresAt }] of kept) if (expiresAt.getTime() <= time) kept.delete(other);
    const { key, keyHash } = issueApiKey();
    const expiresAt = new Date(time + LIFETIME_MS);
    await store.readerKeys.add({ keyHash, tenantId, scope, expiresAt });
    kept.set(name, { key, expiresAt });
    return key;
  };
}
