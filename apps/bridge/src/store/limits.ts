import type { Database } from '@cer/sql-store';
import type { Knex } from 'knex';
import type { LimitStore } from './ports.js';

/** Requests per minute and root spans per hour, counted over all instances. */
export class SqlLimitStore implements LimitStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async takeRequest(tenantId: string, minute: string, limit: number): Promise<boolean> {
    return this.#database.run(async (db) => {
      // When the minute is full no row changes, so none is returned.
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

  async takeRoots(tenantId: string, hour: string, roots: number, limit: number): Promise<number> {
    return this.#database.run(async (db) => {
      const { rows } = await returning(
        db,
        `insert into root_hours (tenant_id, hour, count) values (?, ?, ?)
         on conflict (tenant_id, hour) do update set count = root_hours.count + excluded.count
         returning count`,
        [tenantId, hour, roots],
      );
      const excess = Number(rows[0]?.count ?? roots) - limit;
      return Math.min(roots, Math.max(0, roots - excess));
    });
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
