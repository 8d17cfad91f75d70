import type { Scope } from '../account/api-key.js';
import type { Role } from '../account/role.js';
import type { TenantSettings } from '../account/tenant-settings.js';
import type { UsageKind } from '../account/usage-kind.js';

/**
 * The control plane's store, with methods named by purpose. One contract suite runs on SQLite and on PostgreSQL. Every
 * method may throw a StoreError; a promise of a write resolves only when the write, and its entry in the audit trail,
 * are durable.
 */

export type AccountStatus = 'active' | 'suspended';

/** Null: unlimited. */
export interface PlanLimits {
  readonly requestsPerMinute: number | null;
  readonly executionsPerMonth: number | null;
}

export interface Plan {
  readonly planId: string;
  readonly name: string;
  readonly limits: PlanLimits;
  /** Whether the plan includes the evidence bridge. */
  readonly bridge: boolean;
}

export interface Tenant {
  readonly tenantId: string;
  readonly name: string;
  readonly status: AccountStatus;
  readonly plan: Plan;
  readonly settings: TenantSettings;
  readonly createdAt: string;
}

export interface User {
  readonly userId: string;
  readonly tenantId: string;
  /** Lower case. */
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly enabled: boolean;
  readonly hasPassword: boolean;
  readonly lastLoginAt: string | null;
}

export interface NewUser {
  readonly tenantId: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  /** Null until the user opens the one-time link. */
  readonly passwordHash: string | null;
}

/** A person whom the sign-in provider vouches for. */
export interface ProviderSignIn {
  readonly issuer: string;
  readonly subject: string;
  readonly tenantId: string;
  /** Lower case, verified by the provider. */
  readonly email: string;
  readonly name: string;
  /** Null: the provider gives none. */
  readonly role: Role | null;
}

/** Of the token only its SHA-256 is kept. */
export interface NewLink {
  readonly tokenHash: string;
  readonly expiresAt: Date;
}

export interface Session {
  readonly user: User;
  readonly tenant: Tenant;
  /** When the user signed in. */
  readonly startedAt: string;
  readonly lastSeenAt: string;
}

export interface ApiKey {
  readonly keyId: string;
  readonly tenantId: string;
  readonly name: string;
  readonly prefix: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  /** Set when the key was rotated: it works until then. */
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
}

export interface NewApiKey {
  readonly tenantId: string;
  readonly name: string;
  /** SHA-256 of the key, 64 hex digits; the key itself is never kept. */
  readonly keyHash: string;
  readonly prefix: string;
  readonly scopes: readonly Scope[];
}

/** Actor as the audit trail shows it: an e-mail address, or `command line`. */
export type Actor = string;

export interface AccountAct {
  /** Its place among the acts of all accounts; later acts have larger ones. */
  readonly seq: number;
  readonly tenantId: string;
  readonly at: string;
  readonly actor: Actor;
  readonly act: ActName;
  readonly subject: string;
}

export type ActName =
  | 'tenant created'
  | 'account suspended'
  | 'account resumed'
  | 'plan assigned'
  | 'settings changed'
  | 'user added'
  | 'user disabled'
  | 'user enabled'
  | 'link issued'
  | 'password set'
  | 'role changed'
  | 'provider linked'
  | 'signed in'
  | 'signed out'
  | 'code refused'
  | 'authenticator added'
  | 'authenticator removed'
  | 'recovery codes made'
  | 'recovery code used'
  | 'passkey added'
  | 'passkey removed'
  | 'sign-in reset'
  | 'API key created'
  | 'API key rotated'
  | 'API key revoked'
  | 'bridge connected'
  | 'records exported'
  | 'review certified'
  | 'link shared'
  | 'shared link revoked'
  | 'webhook added'
  | 'webhook secret rotated'
  | 'webhook removed'
  | 'webhook tested'
  | 'message sent again';

export interface TenantStore {
  /**
   * The tenant of this name, made when there is none.
   * @param tenantId for a tenant that a node already knows; a random UUID when left out
   */
  create(tenant: { readonly name: string; readonly tenantId?: string }, actor: Actor): Promise<Tenant>;
  find(tenantId: string): Promise<Tenant | null>;
  findByName(name: string): Promise<Tenant | null>;
  /** @returns false for an unknown tenant */
  setStatus(tenantId: string, status: AccountStatus, actor: Actor): Promise<boolean>;
  setSettings(tenantId: string, settings: TenantSettings, actor: Actor): Promise<void>;
  /** @returns false for an unknown tenant or plan */
  assignPlan(tenantId: string, planName: string, actor: Actor): Promise<boolean>;
  /** Makes the plan of this name, or changes it for every account that has it. */
  putPlan(plan: Omit<Plan, 'planId'>): Promise<Plan>;
  listPlans(): Promise<readonly Plan[]>;
}

export interface UserStore {
  /** Whether an owner exists, invited ones included. */
  ownerExists(): Promise<boolean>;
  /** Null when the address is taken, in any tenant. */
  add(user: NewUser, actor: Actor): Promise<User | null>;
  find(tenantId: string, userId: string): Promise<User | null>;
  /** With the password hash, for signing in only. */
  findForLogin(email: string): Promise<{ readonly user: User; readonly passwordHash: string | null } | null>;
  /**
   * The user of an identity, made or linked at the first sign-in, with the role of this sign-in.
   * @returns null for a person without a role, a disabled user, and an address of another person; without a role
   *   every session of the user ends
   */
  signInByProvider(person: ProviderSignIn): Promise<User | null>;
  /** Oldest first. */
  list(tenantId: string): Promise<readonly User[]>;
  /** Disabling ends the user's sessions and links. @returns false for an unknown user */
  setEnabled(tenantId: string, userId: string, enabled: boolean, actor: Actor): Promise<boolean>;
}

/** Purpose of a link: the first set-up, or a user's password. */
export type LinkPurpose = { readonly purpose: 'set-up' } | { readonly purpose: 'password'; readonly user: User };

export interface LinkStore {
  /** A link with which the user chooses a password; earlier ones stop working. @returns false for an unknown user */
  issuePasswordLink(tenantId: string, userId: string, link: NewLink, actor: Actor): Promise<boolean>;
  /** A link with which the first owner sets the dashboard up. */
  issueSetUpLink(link: NewLink): Promise<void>;
  /** Purpose of a valid link. */
  find(tokenHash: string): Promise<LinkPurpose | null>;
  /** Uses the link up, sets the password and ends every session of the user, or does nothing at all. */
  redeemForPassword(tokenHash: string, passwordHash: string): Promise<User | null>;
  /** Uses every set-up link up and makes the first tenant and owner, or does nothing at all. */
  redeemForSetUp(
    tokenHash: string,
    owner: {
      readonly tenantName: string;
      readonly email: string;
      readonly name: string;
      readonly passwordHash: string;
    },
  ): Promise<User | null>;
}

export interface SessionStore {
  /** Signs a user in, in place of the session that the browser had. */
  start(session: { tokenHash: string; userId: string; expiresAt: Date; replaces: string | null }): Promise<void>;
  /**
   * A session that is neither expired nor idle for too long, of an enabled user.
   * @param idleSince the earliest last use that still counts
   */
  find(tokenHash: string, idleSince: Date): Promise<Session | null>;
  touch(tokenHash: string): Promise<void>;
  end(tokenHash: string): Promise<void>;
}

export interface ApiKeyStore {
  /** @throws StoreError STORE_ROW_REFUSED for a hash that is already a key */
  create(key: NewApiKey, actor: Actor): Promise<ApiKey>;
  /** Newest first. */
  list(tenantId: string): Promise<readonly ApiKey[]>;
  /** @returns null unless this tenant has a key of this id, revoked and expired ones included */
  find(tenantId: string, keyId: string): Promise<ApiKey | null>;
  /** Revoked and expired keys are found too. */
  findByHash(keyHash: string): Promise<{ readonly key: ApiKey; readonly tenant: Tenant } | null>;
  /**
   * Puts a new key of the same name and scopes beside the old one, which works until `oldExpiresAt`.
   * @returns null unless this tenant has an active key of this id
   */
  rotate(
    tenantId: string,
    keyId: string,
    replacement: Pick<NewApiKey, 'keyHash' | 'prefix'>,
    oldExpiresAt: Date,
    actor: Actor,
  ): Promise<ApiKey | null>;
  /** @returns false unless this tenant has an unrevoked key of this id */
  revoke(tenantId: string, keyId: string, actor: Actor): Promise<boolean>;
  /** Notes when keys were last used; a time earlier than the stored one changes nothing. */
  markUsed(uses: ReadonlyMap<string, Date>): Promise<void>;
}

export interface UsageItem {
  readonly tenantId: string;
  readonly kind: UsageKind;
  readonly count: number;
}

export interface UsageDay {
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  readonly kind: UsageKind;
  readonly count: number;
}

export interface UsageStore {
  /**
   * Adds a report to today's counts, once, however often it arrives. Items of unknown tenants are left out.
   * @returns how many items were counted; null when the report was counted before
   */
  record(reportId: string, items: readonly UsageItem[]): Promise<number | null>;
  /** From `firstDay` on, newest day first. */
  list(tenantId: string, firstDay: string): Promise<readonly UsageDay[]>;
}

/** A key with which the dashboard itself reads the records of one tenant, or certifies reviews for it. */
/** Scopes of the dashboard's own keys. */
export const READER_SCOPES = ['audit', 'review', 'webhooks'] as const;

export interface ReaderKey {
  /** SHA-256 of the key, 64 hex digits; the key itself is never kept. */
  readonly keyHash: string;
  readonly tenantId: string;
  readonly scope: (typeof READER_SCOPES)[number];
  readonly expiresAt: Date;
}

export interface ReaderKeyStore {
  add(key: ReaderKey): Promise<void>;
  /** Expired ones included, until they are swept. */
  findByHash(keyHash: string): Promise<ReaderKey | null>;
}

/**
 * The content of a shared link: one certificate by its hash, or the certificates that a query of the records page
 * finds.
 */
export interface ShareTarget {
  readonly kind: 'certificate' | 'set';
  readonly target: string;
}

export interface NewShare extends ShareTarget {
  readonly tenantId: string;
  /** SHA-256 of the token in the link, 64 hex digits; the token itself is never kept. */
  readonly tokenHash: string;
  readonly expiresAt: Date;
}

/** A link that lets its holder read certificates of one tenant. */
export interface Share extends ShareTarget {
  readonly shareId: string;
  readonly tenantId: string;
  readonly createdBy: Actor;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly revokedAt: string | null;
  /** How often its first page was shown. */
  readonly opens: number;
  readonly lastOpenedAt: string | null;
}

export interface ShareStore {
  /** @throws StoreError STORE_ROW_REFUSED for a hash that is already a link */
  create(share: NewShare, actor: Actor): Promise<Share>;
  /** Newest first, ended ones included until they are swept. */
  list(tenantId: string): Promise<readonly Share[]>;
  /** Revoked and expired ones are found too, until they are swept. */
  findByHash(tokenHash: string): Promise<{ readonly share: Share; readonly tenant: Tenant } | null>;
  countOpen(shareId: string): Promise<void>;
  /** @returns false unless this tenant has an unrevoked link of this id */
  revoke(tenantId: string, shareId: string, actor: Actor): Promise<boolean>;
}
