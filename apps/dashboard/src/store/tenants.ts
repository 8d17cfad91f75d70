import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { TenantSettings } from '@cer/control-plane';
import type { Database } from '@cer/sql-store';
import type { Knex } from 'knex';
import { DEFAULT_SETTINGS, summaryOf } from '../account/tenant-settings.js';
import { appendAct } from './account-acts.js';
import { STANDARD_PLAN_ID } from './migrations.js';
import type { AccountStatus, Actor, Plan, Tenant, TenantStore } from './ports/index.js';
import { findTenantBy, planOf, present, settingsOf, type PlanRow, type TenantRow } from './rows.js';

/** Makes a tenant with the standard plan and settings, unless its name is taken. @returns its id, null when taken */
export async function insertTenant(
  db: Knex,
  { name, tenantId = randomUUID() }: { readonly name: string; readonly tenantId?: string | undefined },
  actor: Actor,
  at: Date,
): Promise<string | null> {
  const inserted = await db('tenants')
    .insert({
      tenant_id: tenantId,
      name,
      status: 'active',
      plan_id: STANDARD_PLAN_ID,
      settings_json: JSON.stringify(DEFAULT_SETTINGS),
      created_at: at.toISOString(),
    })
    .onConflict('name')
    .ignore()
    .returning('tenant_id');
  if (inserted.length === 0) return null;
  await appendAct(db, { tenantId, act: 'tenant created', subject: name, actor, at });
  return tenantId;
}

/** Accounts, their plans and their settings. */
export class SqlTenantStore implements TenantStore {
  readonly #database: Database;
  readonly #now: () => Date;

  constructor(database: Database, now: () => Date) {
    this.#database = database;
    this.#now = now;
  }

  async create(tenant: { readonly name: string; readonly tenantId?: string }, actor: Actor): Promise<Tenant> {
    return this.#database.transaction(async (db) => {
      await insertTenant(db, tenant, actor, this.#now());
      return present(await findTenantBy(db, 'name', tenant.name));
    });
  }

  async find(tenantId: string): Promise<Tenant | null> {
    return this.#database.run((db) => findTenantBy(db, 'tenant_id', tenantId));
  }

  async findByName(name: string): Promise<Tenant | null> {
    return this.#database.run((db) => findTenantBy(db, 'name', name));
  }

  async setStatus(tenantId: string, status: AccountStatus, actor: Actor): Promise<boolean> {
    return this.#database.transaction(async (db) => {
      const changed = await db('tenants').where({ tenant_id: tenantId }).update({ status });
      if (changed === 0) return false;
      const act = status === 'active' ? 'account resumed' : 'account suspended';
      await appendAct(db, { tenantId, act, subject: '', actor, at: this.#now() });
      return true;
    });
  }

  async setSettings(
    tenantId: string,
    settings: TenantSettings,
    actor: Actor,
    before?: TenantSettings,
  ): Promise<boolean> {
    return this.#database.transaction(async (db) => {
      // Concurrent changes wait for this row.
      const [row] = await db<TenantRow>('tenants')
        .where({ tenant_id: tenantId })
        .update({ tenant_id: tenantId })
        .returning('settings_json');
      if (before !== undefined && !isDeepStrictEqual(settingsOf(present(row)), before)) return false;
      const settingsJson = JSON.stringify(settings);
      await db('tenants').where({ tenant_id: tenantId }).update({ settings_json: settingsJson });
      await appendAct(db, { tenantId, act: 'settings changed', subject: summaryOf(settings), actor, at: this.#now() });
      return true;
    });
  }

  async assignPlan(tenantId: string, planName: string, actor: Actor): Promise<boolean> {
    return this.#database.transaction(async (db) => {
      const plan = db('plans').where({ name: planName }).select('plan_id');
      const changed = await db('tenants')
        .where({ tenant_id: tenantId })
        .whereExists(plan.clone())
        .update({ plan_id: plan });
      if (changed === 0) return false;
      await appendAct(db, { tenantId, act: 'plan assigned', subject: planName, actor, at: this.#now() });
      return true;
    });
  }

  async putPlan({ name, limits, bridge }: Omit<Plan, 'planId'>): Promise<Plan> {
    const terms = {
      requests_per_minute: limits.requestsPerMinute,
      executions_per_month: limits.executionsPerMonth,
      bridge: bridge ? 1 : 0,
    };
    return this.#database.run(async (db) => {
      await db('plans')
        .insert({ plan_id: randomUUID(), name, ...terms })
        .onConflict('name')
        .merge(terms);
      return planOf(present(await db<PlanRow>('plans').where({ name }).first()));
    });
  }

  async listPlans(): Promise<readonly Plan[]> {
    const rows = await this.#database.run((db) => db<PlanRow>('plans').orderBy('name').select());
    return rows.map(planOf);
  }
}
