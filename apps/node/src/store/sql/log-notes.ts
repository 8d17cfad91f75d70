import type { Database, SqlRow, SqlStatement, SqlValue } from './database.js';
import type { LogNoteStore, PublishedNote, StatementOfLog } from '../ports/log-notes.js';
import { text } from './record-rows.js';
import { retryPassing } from './retry.js';

const PUBLISHED = `select size, published_note, fresh_note, published_ms, fresh_ms from log_notes
  where log_id = $1 and published_ms is not null`;

/** Checkpoints on either database. */
export class SqlLogNoteStore implements LogNoteStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async keep(...[logId, size, note]: Parameters<LogNoteStore['keep']>): Promise<string> {
    await this.#run(noteStatement(logId, size, note));
    const [row] = await this.#find('select note from log_notes where log_id = $1 and size = $2', [logId, size]);
    return row === undefined ? note : text(row, 'note');
  }

  async newest(logId: number): ReturnType<LogNoteStore['newest']> {
    const [row] = await this.#find('select size, note from log_notes where log_id = $1 order by size desc limit 1', [
      logId,
    ]);
    return row === undefined ? null : { size: Number(row['size']), note: text(row, 'note') };
  }

  async publish(...[logId, size, note, atMs]: Parameters<LogNoteStore['publish']>): Promise<void> {
    await this.#run(publishedStatement(logId, size, note, atMs));
  }

  async newestPublished(logId: number): Promise<PublishedNote | null> {
    return published(await this.#find(`${PUBLISHED} order by size desc limit 1`, [logId]));
  }

  async firstPublishedAbove(logId: number, index: number): Promise<PublishedNote | null> {
    return published(await this.#find(`${PUBLISHED} and size > $2 order by size limit 1`, [logId, index]));
  }

  async lastPublishedUpTo(logId: number, index: number): Promise<PublishedNote | null> {
    return published(await this.#find(`${PUBLISHED} and size <= $2 order by size desc limit 1`, [logId, index]));
  }

  async witnessed(logId: number, witness: string): Promise<number> {
    const [row] = await this.#find('select size from log_witnesses where log_id = $1 and witness = $2', [
      logId,
      witness,
    ]);
    return Number(row?.['size'] ?? 0);
  }

  async noteWitnessed(...[logId, witness, size]: Parameters<LogNoteStore['noteWitnessed']>): Promise<void> {
    await this.#find(
      `insert into log_witnesses (log_id, witness, size) values ($1, $2, $3)
       on conflict (log_id, witness) do update set size = excluded.size`,
      [logId, witness, size],
    );
  }

  async newestStatement(): Promise<StatementOfLog | null> {
    const [row] = await this.#find(
      'select version, statement_json, signatures_json from log_statements order by version desc limit 1',
      [],
    );
    if (row === undefined) return null;
    return {
      version: Number(row['version']),
      statementJson: text(row, 'statement_json'),
      signaturesJson: text(row, 'signatures_json'),
    };
  }

  async addStatement({ version, statementJson, signaturesJson }: StatementOfLog): Promise<boolean> {
    const rows = await this.#find(
      `insert into log_statements (version, statement_json, signatures_json) values ($1, $2, $3)
       on conflict do nothing returning version`,
      [version, statementJson, signaturesJson],
    );
    return rows.length > 0;
  }

  async #run({ sql, values }: SqlStatement): Promise<void> {
    await this.#find(sql, values);
  }

  async #find(sql: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    return await retryPassing(() => this.#database.all(sql, values));
  }
}

/** Keeps the checkpoint of a size that has none. */
export function noteStatement(logId: number, size: number, note: string): SqlStatement {
  return {
    sql: 'insert into log_notes (log_id, size, note) values ($1, $2, $3) on conflict do nothing',
    values: [logId, size, note],
  };
}

/** The first publication of a size stays beside the newest. */
export function publishedStatement(logId: number, size: number, note: string, atMs: number): SqlStatement {
  return {
    sql: `update log_notes set published_note = coalesce(published_note, $3), published_ms = coalesce(published_ms, $4),
        fresh_note = $3, fresh_ms = $4
      where log_id = $1 and size = $2`,
    values: [logId, size, note, atMs],
  };
}

function published([row]: readonly SqlRow[]): PublishedNote | null {
  if (row === undefined) return null;
  return {
    size: Number(row['size']),
    note: text(row, 'published_note'),
    fresh: text(row, 'fresh_note'),
    publishedMs: Number(row['published_ms']),
    freshMs: Number(row['fresh_ms']),
  };
}
