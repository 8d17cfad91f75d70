import type {
  AlertDelivery,
  AlertState,
  AlertStore,
  DeliveryAttempt,
  DeliveryOwner,
  DeliveryState,
  NewAlertDelivery,
} from '../ports/alerts.js';
import { StoreError } from '../ports/store-error.js';
import type { Database, SqlRow, SqlStatement, SqlValue } from './database.js';
import { insertLimited } from './limited-insert.js';
import { text } from './record-rows.js';
import { retryPassing } from './retry.js';

const NAMES = `seq, tenant_id, delivery_id, endpoint, type, payload, created_ms, state, attempts, due_ms, attempted_ms,
  result`;
const COLUMNS = `${NAMES} from alert_deliveries`;
/** The tenant of an operator's delivery. */
const OPERATOR = '';
/** Maximum deliveries of one tenant that are returned as due. */
const OF_ONE_TENANT = 5;

/** No pause is as long, in ms: a delivery due later was stored before the clock was set back. */
const LONGER_THAN_PAUSES_MS = 86_400_000;
const IS_DUE = `state = 'waiting' and (due_ms <= $1 or due_ms > $1 + ${LONGER_THAN_PAUSES_MS})`;

/** Due deliveries of some tenants, with the place of each among those to its receiver. */
const queued = (whose: string): string => `select ${NAMES},
    row_number() over (partition by tenant_id, endpoint order by due_ms, seq) as queued from alert_deliveries
  where ${IS_DUE} and ${whose}`;
const DUE_OPERATOR = `select ${NAMES} from (${queued(`tenant_id = '${OPERATOR}'`)}) as waiting
  order by queued, due_ms, seq limit $2`;
const DUE_TENANTS = `select ${NAMES} from (
    select ${NAMES}, row_number() over (partition by tenant_id order by queued, due_ms, seq) as place
    from (${queued(`tenant_id <> '${OPERATOR}'`)}) as waiting) as of_tenant
  where place <= ${OF_ONE_TENANT} order by place, due_ms, seq limit $2`;

// A month's quota, a day's dead letters and a revocation never end as conditions.
const FORGET_STATES = `
  delete from alert_states where changed_ms < $1
    and (firing = 0 or type in ('quota.reached', 'dead_letters.reported', 'signing_key.revoked'))`;

/** Alerts on either database. */
export class SqlAlertStore implements AlertStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async states(): Promise<readonly AlertState[]> {
    const rows = await this.#run('select type, subject, firing, changed_ms from alert_states', []);
    return rows.map((row) => ({
      type: text(row, 'type'),
      subject: text(row, 'subject'),
      isFiring: Number(row['firing']) === 1,
      changedMs: Number(row['changed_ms']),
    }));
  }

  async change(state: AlertState, deliveries: readonly NewAlertDelivery[]): Promise<boolean> {
    const { type, subject, isFiring, changedMs } = state;
    const changed: SqlStatement = {
      sql: `insert into alert_states (type, subject, firing, changed_ms) values ($1, $2, $3, $4)
        on conflict (type, subject) do update set firing = excluded.firing, changed_ms = excluded.changed_ms
        where alert_states.firing <> excluded.firing
        returning type`,
      values: [type, subject, isFiring ? 1 : 0, changedMs],
      mustReturn: 1,
    };
    try {
      await retryPassing(() => this.#database.transact([changed, ...deliveries.map(insertion)]));
      return true;
    } catch (error) {
      if (error instanceof StoreError && error.code === 'STORE_CONDITION_FAILED') return false;
      throw error;
    }
  }

  async due(whose: 'operator' | 'tenants', nowMs: number, limit: number): Promise<readonly AlertDelivery[]> {
    const sql = whose === 'operator' ? DUE_OPERATOR : DUE_TENANTS;
    return (await this.#run(sql, [nowMs, limit])).map(deliveryOf);
  }

  async noteAttempt({ deliveryId, state, attempts, dueMs, attemptedMs, result }: DeliveryAttempt): Promise<void> {
    await this.#run(
      `update alert_deliveries set state = $2, attempts = $3, due_ms = $4, attempted_ms = $5, result = $6
        where delivery_id = $1`,
      [deliveryId, state, attempts, dueMs, attemptedMs, result],
    );
  }

  async deliveries(afterSeq: number, limit: number): Promise<readonly AlertDelivery[]> {
    const sql = `select ${COLUMNS} where tenant_id = '${OPERATOR}' and seq > $1 order by seq limit $2`;
    return (await this.#run(sql, [afterSeq, limit])).map(deliveryOf);
  }

  async deliveriesOf(
    { tenantId, webhookId }: DeliveryOwner,
    beforeSeq: number,
    limit: number,
  ): Promise<readonly AlertDelivery[]> {
    const sql = `select ${COLUMNS} where tenant_id = $1 and endpoint = $2 and seq < $3 order by seq desc limit $4`;
    return (await this.#run(sql, [tenantId, webhookId, beforeSeq, limit])).map(deliveryOf);
  }

  async sendAgain(owner: DeliveryOwner | 'operator', deliveryId: string, nowMs: number): Promise<boolean> {
    const ownersOnly = owner === 'operator' ? `tenant_id = '${OPERATOR}'` : 'tenant_id = $3 and endpoint = $4';
    const rows = await this.#run(
      `update alert_deliveries set state = 'waiting', attempts = 0, due_ms = $2
        where delivery_id = $1 and ${ownersOnly} returning seq`,
      [deliveryId, nowMs, ...(owner === 'operator' ? [] : [owner.tenantId, owner.webhookId])],
    );
    return rows.length > 0;
  }

  async addMessage(message: NewAlertDelivery, limit: number): Promise<boolean> {
    const { tenantId, deliveryId, endpoint, type, payload, createdMs } = message;
    return await insertLimited(this.#database, `deliveries to ${endpoint} of ${tenantId ?? 'the operator'}`, {
      sql: `insert into alert_deliveries
        (tenant_id, delivery_id, endpoint, type, payload, created_ms, state, attempts, due_ms)
        select $1, $2, $3, $4, $5, $6, 'waiting', 0, $6
        where (select count(*) from alert_deliveries
          where tenant_id = $1 and endpoint = $3 and state = 'waiting' and delivery_id <> $2) < $7
        on conflict (delivery_id) do update set delivery_id = excluded.delivery_id returning seq`,
      values: [tenantId ?? OPERATOR, deliveryId, endpoint, type, payload, createdMs, limit],
    });
  }

  async forget(beforeMs: number): Promise<void> {
    await this.#run("delete from alert_deliveries where state <> 'waiting' and created_ms < $1", [beforeMs]);
    await this.#run(FORGET_STATES, [beforeMs]);
  }

  #run(sql: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    return retryPassing(() => this.#database.all(sql, values));
  }
}

function insertion({ tenantId, deliveryId, endpoint, type, payload, createdMs }: NewAlertDelivery): SqlStatement {
  return {
    sql: `insert into alert_deliveries
      (tenant_id, delivery_id, endpoint, type, payload, created_ms, state, attempts, due_ms)
      values ($1, $2, $3, $4, $5, $6, 'waiting', 0, $6)`,
    values: [tenantId ?? OPERATOR, deliveryId, endpoint, type, payload, createdMs],
  };
}

function deliveryOf(row: SqlRow): AlertDelivery {
  const attempted = row['attempted_ms'];
  const tenantId = text(row, 'tenant_id');
  return {
    seq: Number(row['seq']),
    tenantId: tenantId === OPERATOR ? null : tenantId,
    deliveryId: text(row, 'delivery_id'),
    endpoint: text(row, 'endpoint'),
    type: text(row, 'type'),
    payload: text(row, 'payload'),
    createdMs: Number(row['created_ms']),
    state: stateOf(text(row, 'state')),
    attempts: Number(row['attempts']),
    dueMs: Number(row['due_ms']),
    attemptedMs: attempted === null ? null : Number(attempted),
    result: row['result'] === null ? null : text(row, 'result'),
  };
}

function stateOf(stored: string): DeliveryState {
  if (stored === 'waiting' || stored === 'delivered') return stored;
  return 'failed';
}
