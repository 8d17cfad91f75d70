import type { PlanLimits, TenantSettings } from '@cer/control-plane';
import type { Role } from '../../account/role.js';
import type { Actor } from './acts.js';

export type AccountStatus = 'active' | 'suspended';

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
  /**
   * @param before the settings that the change was judged by; absent: whatever they are
   * @returns false, and nothing is changed, when they are others by now
   */
  setSettings(tenantId: string, settings: TenantSettings, actor: Actor, before?: TenantSettings): Promise<boolean>;
  /** @returns false for an unknown tenant or plan */
  assignPlan(tenantId: string, planName: string, actor: Actor): Promise<boolean>;
  /** Makes the plan of this name, or changes it for every account that has it. */
  putPlan(plan: Omit<Plan, 'planId'>): Promise<Plan>;
  listPlans(): Promise<readonly Plan[]>;
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
  /** The last time that the user signed out or was signed out. */
  readonly sessionsEndedAt: string | null;
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
  /** Oldest first. @param after the id of the user before the first of them; null: from the oldest on */
  list(tenantId: string, after: string | null, limit: number): Promise<readonly User[]>;
  /**
   * Disabling ends the user's sessions and links.
   * @returns `actor disabled`, and nothing is changed, for an actor who is a disabled user
   */
  setEnabled(
    tenantId: string,
    userId: string,
    enabled: boolean,
    actor: Actor,
  ): Promise<'changed' | 'unknown' | 'actor disabled'>;
}
