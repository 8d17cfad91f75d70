import type { Database, SqlRow, SqlValue } from './database.js';
import { insertsStandStill } from './first-visibility.js';
import { isStorable, text, textOrNull } from './record-rows.js';
import { retryPassing } from './retry.js';
import { StoreError } from '../ports/store-error.js';
import type { SettingsSource, StatedBySource, StatedSettings, TenantSettingsStore } from '../ports/tenant-settings.js';

const COLUMNS: ReadonlyMap<keyof StatedSettings, string> = new Map([
  ['publishJson', 'publish_json'],
  ['retentionDays', 'retention_days'],
  ['visibility', 'visibility'],
  ['legalHold', 'legal_hold'],
]);

/** Settings of tenants on either database: one row for each source. */
export class SqlTenantSettingsStore implements TenantSettingsStore {
  readonly #database: Database;
  readonly #now: () => Date;

  constructor(database: Database, now: () => Date) {
    this.#database = database;
    this.#now = now;
  }

  async find(tenantId: string): Promise<StatedBySource> {
    const rows = await this.#run('select * from tenant_settings where tenant_id = $1', [tenantId]);
    const from = (source: SettingsSource): StatedSettings | null => {
      const row = rows.find((each) => each['source'] === source);
      return row === undefined ? null : toStated(row);
    };
    return { node: from('node'), 'control-plane': from('control-plane') };
  }

  async set(tenantId: string, source: SettingsSource, change: Partial<StatedSettings>): Promise<void> {
    const given = [...COLUMNS].filter(([member]) => change[member] !== undefined);
    const names = [...given.map(([, column]) => column), 'updated_at'];
    const values = [
      ...[tenantId, source],
      ...given.map(([member]) => toSql(change[member] ?? null)),
      this.#now().toISOString(),
    ];
    if (!values.every(isStorable)) throw new StoreError('STORE_ROW_REFUSED', 'settings: hold NUL or a lone surrogate');
    // Updates only the given members, so that concurrent changes of different members do not overwrite each other.
    const sql = `insert into tenant_settings (tenant_id, source, ${names.join(', ')})
       values (${values.map((_, index) => `$${index + 1}`).join(', ')})
       on conflict (tenant_id, source) do update set ${names.map((name) => `${name} = excluded.${name}`).join(', ')}`;
    const guard = change.visibility === undefined ? [] : insertsStandStill(this.#database);
    await retryPassing(() => this.#database.transact([...guard, { sql, values }]));
  }

  async withRetention(after: string, limit: number): Promise<readonly string[]> {
    const rows = await this.#run(
      `select distinct tenant_id from tenant_settings
       where retention_days is not null and tenant_id > $1 order by tenant_id limit $2`,
      [after, limit],
    );
    return rows.map((row) => text(row, 'tenant_id'));
  }

  async knows(tenantId: string): Promise<boolean> {
    const rows = await this.#run(
      `select 1 from tenants where tenant_id = $1 union all select 1 from tenant_settings where tenant_id = $1 limit 1`,
      [tenantId],
    );
    return rows.length > 0;
  }

  async #run(sql: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    if (!values.every(isStorable)) return [];
    return await retryPassing(() => this.#database.all(sql, values));
  }
}

function toSql(value: string | number | boolean | null): SqlValue {
  return typeof value === 'boolean' ? Number(value) : value;
}

function toStated(row: SqlRow): StatedSettings {
  const days = row['retention_days'];
  const visibility = textOrNull(row, 'visibility');
  return {
    publishJson: textOrNull(row, 'publish_json'),
    retentionDays: days === null ? null : Number(days),
    visibility: visibility === 'public' || visibility === 'hidden' ? visibility : null,
    legalHold: Number(row['legal_hold']) === 1,
  };
}
