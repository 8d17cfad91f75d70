import type { Knex } from 'knex';
import type { AccountAct, ActName, Actor } from './ports.js';

export interface NewAct {
  readonly tenantId: string;
  readonly act: ActName;
  readonly subject: string;
  readonly actor: Actor;
  readonly at: Date;
}

/** Appends to the audit trail, in the transaction of the recorded act. */
export async function appendAct(db: Knex, { tenantId, act, subject, actor, at }: NewAct): Promise<void> {
  await db('account_acts').insert({ tenant_id: tenantId, act, subject, actor, at: at.toISOString() });
}

export async function listActs(db: Knex, tenantId: string, limit: number): Promise<readonly AccountAct[]> {
  return db<AccountAct & { tenant_id: string }>('account_acts')
    .where('tenant_id', tenantId)
    .orderBy('seq', 'desc')
    .limit(limit)
    .select('at', 'actor', 'act', 'subject');
}
