import type { Database, SqlStatement } from './database.js';

/**
 * The visibility of a new row, part of the statement that inserts it: hidden when the administrator's setting says so,
 * or, without one, the control plane's. @see docs/spec.md, "Retention"
 * @param tenantId SQL expression
 */
export function firstVisibility(tenantId: string): string {
  const stated = (source: string): string =>
    `(select s.visibility from tenant_settings s where s.tenant_id = ${tenantId} and s.source = '${source}')`;
  return `case coalesce(${stated('node')}, ${stated('control-plane')}) when 'hidden' then 'hidden' else 'visible' end`;
}

/**
 * Precedes a change of visibility in its transaction, so that it applies to every row that is stored once the change is
 * committed: on PostgreSQL, inserts that are under way end first, and later ones read the settings after the commit.
 * `tenant_settings` comes first, in the order of deletions. SQLite has one writer at a time.
 */
export function insertsStandStill({ dialect }: Pick<Database, 'dialect'>): readonly SqlStatement[] {
  return dialect === 'sqlite'
    ? []
    : [
        { sql: 'lock table tenant_settings in row exclusive mode', values: [] },
        { sql: 'lock table records, projects in share mode', values: [] },
      ];
}
