import type { PublishSettings } from '@cer/cer-core/attest';
import type { PlanLimits } from '@cer/control-plane';
import { cachedLookup, type CacheTimes } from '@cer/http-service';
import type { Store } from '../store/index.js';
import { settingsOf } from '../tenants/tenant-settings.js';

/** The caller: a tenant and one of its API keys. */
export interface Caller {
  readonly tenantId: string;
  readonly keyId: string;
  readonly scopes: ReadonlySet<string>;
  readonly publish: PublishSettings;
  /** Absent on nodes without plans. */
  readonly limits?: PlanLimits;
}

/** Looks up API keys, in the node's table or a control plane. */
export interface KeyDirectory {
  /**
   * @param keyHash SHA-256 of the key, hex
   * @returns null for an unknown or inactive key
   * @throws any error when the lookup fails: the request is then refused
   */
  find(keyHash: string): Promise<Caller | null>;
}

/** API keys in the node's own table. */
export function ownKeyDirectory({ tenants, tenantSettings }: Pick<Store, 'tenants' | 'tenantSettings'>): KeyDirectory {
  return {
    find: async (keyHash) => {
      const key = await tenants.findApiKey(keyHash);
      if (key === null || !key.active) return null;
      const { tenantId, keyId, scopes } = key;
      const { publish } = settingsOf(await tenantSettings.find(tenantId));
      return { tenantId, keyId, scopes: new Set(scopes), publish };
    },
  };
}

/** Caches a directory's answers for a bounded time and number. */
export function cachedKeyDirectory(inner: KeyDirectory, times: CacheTimes, now?: () => number): KeyDirectory {
  return { find: cachedLookup({ find: (keyHash) => inner.find(keyHash), times, now }) };
}
