import type { keyIntrospection, sessionIntrospection, TenantSettings } from '@cer/control-plane';
import { isFromTheFuture } from '@cer/pages';
import type * as z from 'zod';
import type { ApiKey, Store, Tenant } from '../store/index.js';
import { mayAct } from '../account/role.js';
import type { LastUsed } from './last-used.js';

export interface IntrospectionDeps {
  readonly store: Store;
  readonly lastUsed: LastUsed;
  readonly now: () => Date;
}

type KeyIntrospection = z.input<ReturnType<typeof keyIntrospection<typeof TenantSettings>>>;
type SessionIntrospection = z.input<ReturnType<typeof sessionIntrospection<typeof TenantSettings>>>;

/** Shown by the node for requests of the dashboard itself. */
const READER_KEY_ID = 'dashboard';

/**
 * The current permissions of a key.
 * @param keyHash SHA-256 of the key, 64 hex digits
 * @see docs/spec.md, "API keys"
 */
export const introspectKey =
  ({ store, lastUsed, now }: IntrospectionDeps) =>
  async (keyHash: string): Promise<KeyIntrospection> => {
    const found = await store.apiKeys.findByHash(keyHash);
    if (found === null) return ofReaderKey(store, keyHash, now());
    if (!keyWorks(found.key, now())) return { active: false };
    const { key, tenant } = found;
    const active = tenant.status === 'active';
    if (active) lastUsed.note(key.keyId, now());
    return { active, tenantId: tenant.tenantId, keyId: key.keyId, scopes: key.scopes, ...accountOf(tenant) };
  };

/** The dashboard's own keys read the records of one account, certify reviews for it or change its webhooks. */
async function ofReaderKey(store: Store, keyHash: string, now: Date): Promise<KeyIntrospection> {
  const key = await store.readerKeys.findByHash(keyHash);
  if (key === null || key.expiresAt <= now) return { active: false };
  const tenant = await store.tenants.find(key.tenantId);
  if (tenant === null) return { active: false };
  const { tenantId, status } = tenant;
  return { active: status === 'active', tenantId, keyId: READER_KEY_ID, scopes: [key.scope], ...accountOf(tenant) };
}

/** Whether a user of a tenant may still be signed in elsewhere. */
export const introspectSession =
  ({ store, now }: IntrospectionDeps) =>
  async (tenantId: string, sub: string): Promise<SessionIntrospection> => {
    const [user, tenant] = await Promise.all([store.users.find(tenantId, sub), store.tenants.find(tenantId)]);
    // The bridge changes data, so it is closed to auditors and reviewers.
    if (user?.enabled !== true || tenant === null || !mayAct(user, 'member')) return { active: false };
    const { userId: id, email, name, sessionsEndedAt } = user;
    // A time from when the clock was ahead would end every new session at once.
    const isKnown = sessionsEndedAt !== null && !isFromTheFuture(sessionsEndedAt, now().getTime());
    return {
      active: tenant.status === 'active',
      user: { id, email, name },
      ...(isKnown && { sessionsEndedAt }),
      ...accountOf(tenant),
    };
  };

/** Whether a key is neither revoked nor past its grace period. */
export function keyWorks({ revokedAt, expiresAt }: ApiKey, now: Date): boolean {
  return revokedAt === null && (expiresAt === null || new Date(expiresAt) > now);
}

function accountOf({ name, status, plan, settings }: Tenant) {
  return {
    tenantName: name,
    accountStatus: status,
    plan: plan.name,
    limits: plan.limits,
    entitlements: { bridge: plan.bridge },
    settings,
  };
}
