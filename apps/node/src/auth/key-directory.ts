import type { PublishSettings } from '@cer/cer-core/attest';
import type { FirstVisibility, Store } from '../store/index.js';
import { settingsOf, type TenantSettings } from '../tenants/tenant-settings.js';

/** What a plan allows; null: no limit. */
export interface PlanLimits {
  readonly requestsPerMinute: number | null;
  readonly executionsPerMonth: number | null;
}

/** Who calls: a tenant, by one of its API keys. */
export interface Caller {
  readonly tenantId: string;
  readonly keyId: string;
  readonly scopes: ReadonlySet<string>;
  readonly publish: PublishSettings;
  /** Left out where there are no plans. */
  readonly limits?: PlanLimits;
  /** Of the records that it makes. */
  readonly visibility: FirstVisibility;
}

/** Where API keys are looked up: the node's own table, or a control plane. */
export interface KeyDirectory {
  /**
   * @param keyHash SHA-256 of the key, hex
   * @returns null for an unknown or inactive key
   * @throws anything when the keys cannot be looked up: the request is then refused, never let through
   */
  find(keyHash: string): Promise<Caller | null>;
}

/** What a tenant's settings mean for the records that its keys make. */
export function recordingBy({ publish, visibility }: TenantSettings): Pick<Caller, 'publish' | 'visibility'> {
  return { publish, visibility: visibility === 'hidden' ? 'hidden' : 'visible' };
}

/** The node's own API keys. */
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
  /** How long a found key is believed, in milliseconds from the start of its look-up. */
  readonly foundMs: number;
  readonly unknownMs: number;
}

/** Of each kind. */
const MAX_CACHED_KEYS = 10_000;

interface Remembered {
  readonly caller: Caller | null;
  readonly until: number;
}

/**
 * Remembers answers for a bounded time and number. A failed look-up is never remembered and never bridged by an old
 * answer: when the directory is gone, so is access.
 */
export function cachedKeyDirectory(inner: KeyDirectory, times: CacheTimes, now: () => number): KeyDirectory {
  // Apart: whoever tries ever new keys must not push out those that are in use.
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
