import type { Knex } from 'knex';
import type { Database } from './database.js';
import type { LimitStore } from './ports.js';

/** What was used of the plans' limits, counted for all instances together. */
export class SqlLimitStore implements LimitStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async takeRequest(tenantId: string, minute: string, limit: number): Promise<boolean> {
    return this.#database.run(async (db) => {
      // A full minute changes no row, so nothing comes back.
      const { rows } = await returning(
        db,
        `insert into request_minutes (tenant_id, minute, count) select ?, ?, 1 where ? > 0
         on conflict (tenant_id, minute) do update set count = request_minutes.count + 1
           where request_minutes.count < ?
         returning count`,
        [tenantId, minute, limit, limit],
      );
      return rows.length === 1;
    });
  }

  async reserve(tenantId: string, month: string, wanted: number, limit: number): Promise<number> {
    return this.#database.transaction(async (db) => {
      // Takes the row's lock on PostgreSQL, the file's on SQLite.
      const { rows } = await returning(
        db,
        `insert into execution_months (tenant_id, month, count) values (?, ?, 0)
         on conflict (tenant_id, month) do update set count = execution_months.count
         returning count`,
        [tenantId, month],
      );
      const granted = Math.max(0, Math.min(wanted, limit - Number(rows[0]?.count ?? 0)));
      if (granted > 0) {
        await db('execution_months').where({ tenant_id: tenantId, month }).increment('count', granted);
      }
      return granted;
    });
  }

  async release(tenantId: string, month: string, unused: number): Promise<void> {
    await this.#database.run(async (db) =>
      db('execution_months').where({ tenant_id: tenantId, month }).decrement('count', unused),
    );
  }
}

interface Counted {
  readonly rows: readonly { readonly count: number | string }[];
}

/** Runs a raw statement; SQLite's driver answers with the rows, PostgreSQL's with an object that has them. */
async function returning(db: Knex, sql: string, values: readonly (string | number)[]): Promise<Counted> {
  const answer: Counted | Counted['rows'] = await db.raw<Counted | Counted['rows']>(sql, [...values]);
  return 'rows' in answer ? answer : { rows: answer };
}
