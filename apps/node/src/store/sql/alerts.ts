import type {
  AlertDelivery,
  AlertState,
  AlertStore,
  DeliveryAttempt,
  DeliveryState,
  NewAlertDelivery,
} from '../ports/alerts.js';
import { StoreError } from '../ports/store-error.js';
import type { Database, SqlRow, SqlStatement, SqlValue } from './database.js';
import { text } from './record-rows.js';
import { retryPassing } from './retry.js';

const COLUMNS = `seq, delivery_id, endpoint, type, payload, created_ms, state, attempts, due_ms, attempted_ms, result
  from alert_deliveries`;

// A month's quota never ends as a condition.
const FORGET_STATES = `
  delete from alert_states where changed_ms < $1 and (firing = 0 or type = 'quota.reached')`;

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

  async due(nowMs: number, limit: number): Promise<readonly AlertDelivery[]> {
    const sql = `select ${COLUMNS} where state = 'waiting' and due_ms <= $1 order by due_ms, seq limit $2`;
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
    const rows = await this.#run(`select ${COLUMNS} where seq > $1 order by seq limit $2`, [afterSeq, limit]);
    return rows.map(deliveryOf);
  }

  async sendAgain(deliveryId: string, nowMs: number): Promise<boolean> {
    const rows = await this.#run(
      `update alert_deliveries set state = 'waiting', attempts = 0, due_ms = $2 where delivery_id = $1 returning seq`,
      [deliveryId, nowMs],
    );
    return rows.length > 0;
  }

  async forget(beforeMs: number): Promise<void> {
    await this.#run("delete from alert_deliveries where state <> 'waiting' and created_ms < $1", [beforeMs]);
    await this.#run(FORGET_STATES, [beforeMs]);
  }

  #run(sql: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    return retryPassing(() => this.#database.all(sql, values));
  }
}

function insertion({ deliveryId, endpoint, type, payload, createdMs }: NewAlertDelivery): SqlStatement {
  return {
    sql: `insert into alert_deliveries (delivery_id, endpoint, type, payload, created_ms, state, attempts, due_ms)
      values ($1, $2, $3, $4, $5, 'waiting', 0, $5)`,
    values: [deliveryId, endpoint, type, payload, createdMs],
  };
}

function deliveryOf(row: SqlRow): AlertDelivery {
  const attempted = row['attempted_ms'];
  return {
    seq: Number(row['seq']),
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
