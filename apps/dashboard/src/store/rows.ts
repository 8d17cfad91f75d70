import { isScope, TenantSettings } from '@cer/control-plane';
import { StoreError } from '@cer/sql-store';
import type { Knex } from 'knex';
import { ROLES } from '../account/role.js';
import type { ApiKey, Plan, Tenant, User } from './ports/index.js';

export interface PlanRow {
  readonly plan_id: string;
  readonly name: string;
  readonly requests_per_minute: number | null;
  readonly executions_per_month: number | null;
  readonly bridge: number;
}

export interface TenantRow extends Omit<PlanRow, 'name'> {
  readonly tenant_id: string;
  readonly tenant_name: string;
  readonly plan_name: string;
  readonly status: string;
  readonly settings_json: string;
  readonly tenant_created_at: string;
}

/** Columns that `tenantOf` reads, for a query that joins tenants as `t` and plans as `p`. */
export const TENANT_COLUMNS = {
  tenant_id: 't.tenant_id',
  tenant_name: 't.name',
  status: 't.status',
  settings_json: 't.settings_json',
  tenant_created_at: 't.created_at',
  plan_id: 'p.plan_id',
  plan_name: 'p.name',
  requests_per_minute: 'p.requests_per_minute',
  executions_per_month: 'p.executions_per_month',
  bridge: 'p.bridge',
} as const;

export interface UserRow {
  readonly user_id: string;
  readonly tenant_id: string;
  readonly email: string;
  readonly name: string;
  readonly role: string;
  readonly password_hash: string | null;
  readonly created_at: string;
  readonly last_login_at: string | null;
  readonly disabled_at: string | null;
  readonly sessions_ended_at: string | null;
}

export interface ApiKeyRow {
  readonly key_id: string;
  readonly tenant_id: string;
  readonly name: string;
  readonly prefix: string;
  readonly scopes_json: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
}

export function planOf(row: PlanRow): Plan {
  return {
    planId: row.plan_id,
    name: row.name,
    limits: { requestsPerMinute: row.requests_per_minute, executionsPerMonth: row.executions_per_month },
    bridge: row.bridge === 1,
  };
}

export function tenantOf(row: TenantRow): Tenant {
  return {
    tenantId: row.tenant_id,
    name: row.tenant_name,
    // An unknown value closes the account.
    status: row.status === 'active' ? 'active' : 'suspended',
    plan: planOf({ ...row, name: row.plan_name }),
    settings: settingsOf(row),
    createdAt: row.tenant_created_at,
  };
}

export function settingsOf({ settings_json }: Pick<TenantRow, 'settings_json'>): TenantSettings {
  return TenantSettings.parse(JSON.parse(settings_json));
}

export function userOf(row: UserRow): User {
  return {
    userId: row.user_id,
    tenantId: row.tenant_id,
    email: row.email,
    name: row.name,
    // An unknown role has the fewest permissions.
    role: ROLES.find((role) => role === row.role) ?? 'auditor',
    enabled: row.disabled_at === null,
    hasPassword: row.password_hash !== null,
    lastLoginAt: row.last_login_at,
    sessionsEndedAt: row.sessions_ended_at,
  };
}

/** The texts of a list that is stored as JSON. */
export function storedTexts(json: string): readonly string[] {
  const list: unknown = JSON.parse(json);
  return Array.isArray(list) ? list.filter((text) => typeof text === 'string') : [];
}

export function apiKeyOf(row: ApiKeyRow): ApiKey {
  return {
    keyId: row.key_id,
    tenantId: row.tenant_id,
    name: row.name,
    prefix: row.prefix,
    scopes: storedTexts(row.scopes_json).filter(isScope),
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
  };
}

/** A tenant with its plan. */
export async function findTenantBy(db: Knex, column: 'tenant_id' | 'name', value: string): Promise<Tenant | null> {
  const row: TenantRow | undefined = await db('tenants as t')
    .join('plans as p', 'p.plan_id', 't.plan_id')
    .where(`t.${column}`, value)
    .first<TenantRow | undefined>(TENANT_COLUMNS);
  return row === undefined ? null : tenantOf(row);
}

/** A row that an earlier statement of the transaction guarantees. */
export function present<T>(row: T | null | undefined): T {
  if (row === undefined || row === null)
    throw new StoreError('STORE_UNAVAILABLE', 'a row written in this transaction is missing');
  return row;
}
