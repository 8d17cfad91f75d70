import type { Database } from './database.js';
import type { QuotaStore, QuotaTaken } from '../ports/quotas.js';
import { retryPassing } from './retry.js';
import { StoreError } from '../ports/store-error.js';

const TAKE = `
  insert into quota_months (tenant_id, month, used) values ($1, $2, $3)
  on conflict (tenant_id, month) do update set used = quota_months.used + excluded.used
  where quota_months.used + excluded.used <= $4
  returning used`;

const GIVE_BACK = 'update quota_months set used = used - $3 where tenant_id = $1 and month = $2 and used >= $3';

/** Maximum retries after conflicts with other nodes. */
const ATTEMPTS = 20;

/** Monthly quotas, on either database. */
export class SqlQuotaStore implements QuotaStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async take(tenantId: string, month: string, wanted: number, limit: number): Promise<QuotaTaken> {
    let used = 0;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const count = Math.min(wanted, limit - used);
      if (count <= 0) return { taken: 0, used };
      const [row] = await this.#run(TAKE, [tenantId, month, count, limit]);
      if (row !== undefined) return { taken: count, used: Number(row['used']) };
      const [present] = await this.#run('select used from quota_months where tenant_id = $1 and month = $2', [
        tenantId,
        month,
      ]);
      // PostgreSQL returns a 64-bit number as text.
      used = Number(present?.['used'] ?? 0);
    }
    throw new StoreError('STORE_CONTENDED', 'quota update kept conflicting with other nodes');
  }

  async giveBack(tenantId: string, month: string, count: number): Promise<void> {
    // Not repeated: after a commit whose answer was lost, the executions would be given back twice.
    if (count > 0) await this.#database.all(GIVE_BACK, [tenantId, month, count]);
  }

  #run(sql: string, values: readonly (string | number)[]): ReturnType<Database['all']> {
    return retryPassing(() => this.#database.all(sql, values));
  }
}
