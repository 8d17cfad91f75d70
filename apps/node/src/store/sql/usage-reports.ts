import { MAX_USAGE_ITEMS } from '@cer/control-plane';
import type { Database, SqlRow, SqlValue } from './database.js';
import { text } from './record-rows.js';
import { retryPassing } from './retry.js';
import type { UsageCount, UsageReport, UsageStore } from '../ports/usage-reports.js';

/** Maximum records per report: few enough to count between two requests, and to fit if each is of another account. */
const RECORDS_A_REPORT = MAX_USAGE_ITEMS;

const COUNT = `
  select tenant_id, case when bundle_type = 'cer.codemode.render.v1' then 'render' else 'certify' end as kind,
    count(*) as made
  from records where seq > $1 and seq <= $2
  group by 1, 2 order by 1, 2`;

/** The usage report port on either database. */
export class SqlUsageStore implements UsageStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async newest(): Promise<number> {
    const [row] = await this.#run('select coalesce(max(seq), 0) as newest from records', []);
    return numberIn(row, 'newest');
  }

  async next(settled: number): Promise<UsageReport | null> {
    for (;;) {
      const [row] = await this.#run('select series, reported, sending from usage_reports', []);
      if (row === undefined) throw new Error('usage_reports has lost its row');
      const reported = numberIn(row, 'reported');
      const isUnderWay = row['sending'] !== null;
      const upTo = isUnderWay ? numberIn(row, 'sending') : Math.min(settled, reported + RECORDS_A_REPORT);
      if (upTo <= reported) return null;
      const reportId = `${text(row, 'series')}-${upTo}`;
      const items = (await this.#run(COUNT, [reported, upTo])).map(toCount);
      if (!isUnderWay) {
        const begun = await this.#run(
          'update usage_reports set sending = $1 where reported = $2 and sending is null returning series',
          [upTo, reported],
        );
        // Another node started the report first.
        if (begun.length === 0) continue;
      }
      if (items.length > 0) return { reportId, items, upTo };
      // Only unused seqs, left by rolled-back inserts.
      await this.arrived({ reportId, items, upTo });
    }
  }

  async arrived({ upTo }: UsageReport): Promise<void> {
    await this.#run('update usage_reports set reported = $1, sending = null where sending = $1', [upTo]);
  }

  #run(sql: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    return retryPassing(() => this.#database.all(sql, values));
  }
}

function toCount(row: SqlRow): UsageCount {
  return {
    tenantId: text(row, 'tenant_id'),
    kind: row['kind'] === 'render' ? 'render' : 'certify',
    count: numberIn(row, 'made'),
  };
}

/** PostgreSQL returns a 64-bit number as text. */
function numberIn(row: SqlRow | undefined, name: string): number {
  return Number(row?.[name] ?? 0);
}
