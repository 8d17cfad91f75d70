import type { Database, SqlRow } from './database.js';
import type { AuditRow, AuditStore } from '../ports/audit-log.js';
import { text } from './record-rows.js';
import { retryPassing } from './retry.js';

const COLUMNS = 'seq, entry_json, hash, kid, signature';

// The primary key serializes writers: of two that saw the same head, one finds the seq taken.
const APPEND = `
  insert into audit_entries (${COLUMNS}) values ($1, $2, $3, $4, $5) on conflict (seq) do nothing returning seq`;

export class SqlAuditStore implements AuditStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async append({ seq, entryJson, hash, kid, signature }: AuditRow): Promise<boolean> {
    const values = [seq, entryJson, hash, kid, signature];
    const inserted = await retryPassing(() => this.#database.all(APPEND, values));
    if (inserted.length > 0) return true;
    // A retry after a lost commit response finds its own row.
    const [taken] = await this.after(seq - 1, 1);
    return taken?.seq === seq && taken.hash === hash;
  }

  async last(): Promise<AuditRow | null> {
    const [row] = await retryPassing(() =>
      this.#database.all(`select ${COLUMNS} from audit_entries order by seq desc limit 1`, []),
    );
    return row === undefined ? null : toAuditRow(row);
  }

  async after(seq: number, limit: number): Promise<readonly AuditRow[]> {
    const rows = await retryPassing(() =>
      this.#database.all(`select ${COLUMNS} from audit_entries where seq > $1 order by seq limit $2`, [seq, limit]),
    );
    return rows.map(toAuditRow);
  }
}

function toAuditRow(row: SqlRow): AuditRow {
  return {
    // PostgreSQL returns a bigint as text.
    seq: Number(row['seq']),
    entryJson: text(row, 'entry_json'),
    hash: text(row, 'hash'),
    kid: text(row, 'kid'),
    signature: text(row, 'signature'),
  };
}
