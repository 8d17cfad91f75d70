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

/**
 * Acts up to the first that is not settled: a reader that continues after the last one never sees what it passed.
 * @param tenantId null: of every account
 */
export async function listActsAfter(
  db: Knex,
  tenantId: string | null,
  seq: number,
  limit: number,
  now: Date,
): Promise<readonly AccountAct[]> {
  const acts = db<ActRow>('account_acts').where('seq', '>', seq).orderBy('seq').limit(limit);
  const rows = await (tenantId === null ? acts : acts.where('tenant_id', tenantId));
  const moment = (ms: number): string => new Date(now.getTime() + ms).toISOString();
  const [settled, ahead] = [moment(-SETTLED_MS), moment(SETTLED_MS)];
  // A time further ahead is that of a wrong clock, which may be years ahead.
  const waits = rows.findIndex(({ at }) => at > settled && at <= ahead);
  return (waits === -1 ? rows : rows.slice(0, waits)).map(actOf);
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
