import type { Database } from '@cer/sql-store';
import { isUsageKind } from '@cer/control-plane';
import type { UsageDay, UsageItem, UsageStore } from './ports/index.js';

interface UsageRow {
  readonly tenant_id: string;
  readonly day: string;
  readonly kind: string;
  /** PostgreSQL gives whole numbers of this size as text. */
  readonly count: number | string;
}

/** How much each tenant used, by day: one row for a tenant, a day and a kind, whatever the traffic. */
export class SqlUsageStore implements UsageStore {
  readonly #database: Database;
  readonly #now: () => Date;

  constructor(database: Database, now: () => Date) {
    this.#database = database;
    this.#now = now;
  }

  async record(reportId: string, items: readonly UsageItem[]): Promise<number | null> {
    const at = this.#now().toISOString();
    return this.#database.transaction(async (db) => {
      const first = await db('usage_reports')
        .insert({ report_id: reportId, received_at: at })
        .onConflict('report_id')
        .ignore()
        .returning('report_id');
      if (first.length === 0) return null;
      const tenants = [...new Set(items.map(({ tenantId }) => tenantId))];
      const known = await db<{ tenant_id: string }>('tenants').whereIn('tenant_id', tenants).select('tenant_id');
      const knownIds = new Set(known.map(({ tenant_id }) => tenant_id));
      const counted = items.filter(({ tenantId }) => knownIds.has(tenantId));
      const rows = summed(counted, at.slice(0, 10));
      if (rows.length > 0) {
        await db('usage_days')
          .insert(rows)
          .onConflict(['tenant_id', 'day', 'kind'])
          .merge({ count: db.raw('usage_days.count + excluded.count') });
      }
      return counted.length;
    });
  }

  async list(tenantId: string, firstDay: string): Promise<readonly UsageDay[]> {
    const rows = await this.#database.run((db) =>
      db<UsageRow>('usage_days')
        .where({ tenant_id: tenantId })
        .where('day', '>=', firstDay)
        .orderBy([
          { column: 'day', order: 'desc' },
          { column: 'kind', order: 'asc' },
        ])
        .select('day', 'kind', 'count'),
    );
    return rows.flatMap(({ day, kind, count }) => (isUsageKind(kind) ? [{ day, kind, count: Number(count) }] : []));
  }
}

/**
 * One row for each key, in one order everywhere: a statement may not touch a row twice, and two statements may not
 * deadlock.
 */
function summed(items: readonly UsageItem[], day: string): UsageRow[] {
  const rows = new Map<string, UsageRow>();
  for (const { tenantId, kind, count } of items) {
    const key = `${tenantId}/${kind}`;
    const before = Number(rows.get(key)?.count ?? 0);
    rows.set(key, { tenant_id: tenantId, day, kind, count: before + count });
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}
