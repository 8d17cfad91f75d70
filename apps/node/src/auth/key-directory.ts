import type { PublishSettings } from '@cer/cer-core/attest';
import type { FirstVisibility, Store } from '../store/index.js';
import { settingsOf, type TenantSettings } from '../tenants/tenant-settings.js';

/** Limits of a plan; null: unlimited. */
export interface PlanLimits {
  readonly requestsPerMinute: number | null;
  readonly executionsPerMonth: number | null;
}

/** The caller: a tenant and one of its API keys. */
export interface Caller {
  readonly tenantId: string;
  readonly keyId: string;
  readonly scopes: ReadonlySet<string>;
  readonly publish: PublishSettings;
  /** Absent on nodes without plans. */
  readonly limits?: PlanLimits;
  /** Visibility of the caller's new records. */
  readonly visibility: FirstVisibility;
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

/** The settings of a tenant that apply to new records. */
export function recordingBy({ publish, visibility }: TenantSettings): Pick<Caller, 'publish' | 'visibility'> {
  return { publish, visibility: visibility === 'hidden' ? 'hidden' : 'visible' };
}

/** API keys in the node's own table. */
export function ownKeyDirectory({ tenants, tenantSettings }: Pick<Store, 'tenants' | 'tenantSettings'>): KeyDirectory {
  return {
    find: async (keyHash) => {
      const key = await tenants.findApiKey(keyHash);
      if (key === null || !key.active) return null;
      const { tenantId, keyId, scopes } = key;
      const settings = settingsOf(await tenantSettings.find(tenantId));
      return { tenantId, keyId, scopes: new Set(scopes), ...recordingBy(settings) };
    },
  };
}

export interface CacheTimes {
  /** Cache lifetime of a key, in milliseconds from the start of its lookup. */
  readonly foundMs: number;
  readonly unknownMs: number;
}

/** Maximum entries per cache. */
const MAX_CACHED_KEYS = 10_000;

interface Remembered {
  readonly caller: Caller | null;
  readonly until: number;
}

/**
 * Caches answers with bounded lifetime and number. A failed lookup is not cached and not replaced by an expired answer:
 * without the directory there is no access.
 */
export function cachedKeyDirectory(inner: KeyDirectory, times: CacheTimes, now: () => number): KeyDirectory {
  // Separate caches, so that a client guessing keys cannot evict the valid ones.
  const found = new Map<string, Remembered>();
  const unknown = new Map<string, Remembered>();
  const asking = new Map<string, Promise<Caller | null>>();

  const ask = async (keyHash: string): Promise<Caller | null> => {
    const startedAt = now();
    const caller = await inner.find(keyHash);
    found.delete(keyHash);
    const kept = caller === null ? unknown : found;
    if (kept.size >= MAX_CACHED_KEYS) kept.clear();
    kept.set(keyHash, { caller, until: startedAt + (caller === null ? times.unknownMs : times.foundMs) });
    return caller;
  };

  return {
    find: (keyHash) => {
      const answer = found.get(keyHash) ?? unknown.get(keyHash);
      if (answer !== undefined && now() < answer.until) return Promise.resolve(answer.caller);
      const asked = asking.get(keyHash);
      if (asked !== undefined) return asked;
      const question = ask(keyHash).finally(() => asking.delete(keyHash));
      asking.set(keyHash, question);
      return question;
    },
  };
}
