import type { Knex } from 'knex';
import type { AccountAct, ActName, Actor } from './ports/index.js';

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
  const rows = await db<ActRow>('account_acts').where('tenant_id', tenantId).orderBy('seq', 'desc').limit(limit);
  return rows.map(actOf);
}

/** Time after which every earlier act is committed: on PostgreSQL a lower `seq` may appear after a higher one. */
const SETTLED_MS = 10_000;

/** @param tenantId null: of every account */
export async function listActsAfter(
  db: Knex,
  tenantId: string | null,
  seq: number,
  limit: number,
  now: Date,
): Promise<readonly AccountAct[]> {
  const settled = new Date(now.getTime() - SETTLED_MS).toISOString();
  const acts = db<ActRow>('account_acts').where('seq', '>', seq).where('at', '<=', settled).orderBy('seq').limit(limit);
  return (await (tenantId === null ? acts : acts.where('tenant_id', tenantId))).map(actOf);
}

interface ActRow {
  /** PostgreSQL returns a 64-bit number as text. */
  readonly seq: number | string;
  readonly tenant_id: string;
  readonly at: string;
  readonly actor: string;
  readonly act: ActName;
  readonly subject: string;
}

function actOf({ seq, tenant_id: tenantId, at, actor, act, subject }: ActRow): AccountAct {
  return { seq: Number(seq), tenantId, at, actor, act, subject };
}
