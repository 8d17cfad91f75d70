import type { Database, SqlRow, SqlStatement, SqlValue } from './database.js';
import type { HeldKind, LegalHoldStore } from '../ports/legal-holds.js';
import { isStorable } from './record-rows.js';
import { retryPassing } from './retry.js';

/** A tenant-wide hold of either source covers all its items. */
const TENANT_NOT_HELD = (table: HeldKind): string =>
  `not exists (select 1 from tenant_settings s where s.tenant_id = ${table}.tenant_id and s.legal_hold = 1)`;

/** True for a row without a hold: part of every delete statement. */
export const NOT_HELD: Readonly<Record<HeldKind, string>> = {
  records: `${TENANT_NOT_HELD('records')} and not exists (
    select 1 from legal_holds h where h.tenant_id in ('', records.tenant_id)
      and (h.hash = records.certificate_hash or h.hash = records.resealed_certificate_hash))`,
  projects: `${TENANT_NOT_HELD('projects')} and not exists (
    select 1 from legal_holds h where h.tenant_id in ('', projects.tenant_id) and h.hash = projects.project_hash)`,
};

/**
 * Precedes the delete statements in their transaction. A PostgreSQL statement sees the holds committed before it
 * started: this lock waits for holds being placed, and new ones wait for the deletion. SQLite has one writer at a time.
 */
export function holdsStandStill({ dialect }: Pick<Database, 'dialect'>): readonly SqlStatement[] {
  return dialect === 'sqlite' ? [] : [{ sql: 'lock table legal_holds, tenant_settings in share mode', values: [] }];
}

// Two columns, two statements: an `or` over both may read neither index.
const UNDER_HASH: Readonly<Record<HeldKind, readonly string[]>> = {
  records: ['certificate_hash', 'resealed_certificate_hash'],
  projects: ['project_hash'],
};

/** Legal holds on either database. */
export class SqlLegalHoldStore implements LegalHoldStore {
  readonly #database: Database;
  readonly #now: () => Date;

  constructor(database: Database, now: () => Date) {
    this.#database = database;
    this.#now = now;
  }

  async place(...[kind, hash, tenantId]: Parameters<LegalHoldStore['place']>): Promise<number> {
    const own = tenantId === null ? '' : 'and tenant_id = $2';
    const kept = UNDER_HASH[kind].map(
      (column) => `exists (select 1 from ${kind} where ${column} = $1 and visibility <> 'deleted' ${own})`,
    );
    await this.#run(
      `insert into legal_holds (hash, tenant_id, placed_at) select $1, $2, $3 where ${kept.join(' or ')}
       on conflict (hash, tenant_id) do nothing`,
      [hash, tenantId ?? '', this.#now().toISOString()],
    );
    return await this.held(kind, hash, tenantId);
  }

  async release(...[hash, tenantId]: Parameters<LegalHoldStore['release']>): Promise<number> {
    const own = tenantId === null ? '' : 'and tenant_id = $2';
    const released = await this.#run(`delete from legal_holds where hash = $1 ${own} returning hash`, [
      hash,
      ...(tenantId === null ? [] : [tenantId]),
    ]);
    return released.length;
  }

  async held(...[kind, hash, tenantId]: Parameters<LegalHoldStore['held']>): Promise<number> {
    const own = tenantId === null ? '' : 'and tenant_id = $2';
    const found = UNDER_HASH[kind].map(
      (column) => `select seq from ${kind}
        where ${column} = $1 and visibility <> 'deleted' ${own} and not (${NOT_HELD[kind]})`,
    );
    // Without duplicates: both hashes of one record may be equal.
    const rows = await this.#run(found.join(' union '), [hash, ...(tenantId === null ? [] : [tenantId])]);
    return rows.length;
  }

  async #run(sql: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    if (!values.every(isStorable)) return [];
    return await retryPassing(() => this.#database.all(sql, values));
  }
}
