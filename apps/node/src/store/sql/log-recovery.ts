import type { Database, SqlStatement } from './database.js';
import { committed, headStatement, tileStatement } from './log.js';
import { epochStatement } from './log-epochs.js';
import { noteStatement, publishedStatement } from './log-notes.js';
import { placeLeaves } from './log-placing.js';
import type { LogRecoveryStore, LogRestoration, MissingLeaf, UnloggedProject } from '../ports/log-recovery.js';
import { text } from './record-rows.js';
import { retryPassing } from './retry.js';

/** The source of entries whose leaves the database lost. They belong to no tenant and have no number. */
const LOST = 'lost';

/** Recovery and backfill on either database. */
export class SqlLogRecoveryStore implements LogRecoveryStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async restore(restoration: LogRestoration): Promise<boolean> {
    const { logId, oldSize, frontier, leaves, tiles, lost, epochs, note, published, publishedMs } = restoration;
    return await committed(this.#database, [
      { sql: 'update log_heads set halted = null where log_id = $1', values: [logId] },
      headStatement(logId, oldSize, frontier),
      ...placeLeaves(this.#database.dialect, logId, leaves),
      ...lost.map(({ index, entry }) => ({
        sql: `insert into log_leaves (tenant_id, source, source_seq, log_id, log_index, entry)
          values ('', '${LOST}', $2, $1, $2, $3)`,
        values: [logId, index, entry],
      })),
      ...epochs.map((epoch) => epochStatement(logId, epoch)),
      ...tiles.map(tileStatement),
      noteStatement(logId, frontier.size, note),
      publishedStatement(logId, frontier.size, published, publishedMs),
    ]);
  }

  async projectsWithoutLeaf(seq: number, limit: number): Promise<readonly UnloggedProject[]> {
    const rows = await retryPassing(() =>
      this.#database.all(
        `select seq, registered_at, receipt_json, signature from projects
         where seq > $1 and visibility <> 'deleted' and not exists (
           select 1 from log_leaves l where l.source = 'project' and l.source_seq = projects.seq)
         order by seq limit $2`,
        [seq, limit],
      ),
    );
    return rows.map((row) => ({
      seq: Number(row['seq']),
      registeredAt: text(row, 'registered_at'),
      receiptJson: text(row, 'receipt_json'),
      signature: text(row, 'signature'),
    }));
  }

  async addMissing(leaves: readonly MissingLeaf[]): Promise<number> {
    const added = await this.#database.transact(leaves.map(missingLeaf));
    return added.reduce((count, rows) => count + rows.length, 0);
  }
}

function missingLeaf({ kind, seq, leaf: { source, labelJson, digest, seed } }: MissingLeaf): SqlStatement {
  return {
    sql: `insert into log_leaves (tenant_id, source, source_seq, label_json, digest, seed)
      select tenant_id, $1, seq, $2, $3, $4 from ${kind} where seq = $5 and visibility <> 'deleted' and not exists (
        select 1 from log_leaves l where l.source = $1 and l.source_seq = $5)
      returning leaf_id`,
    values: [source, labelJson, digest, seed, seq],
  };
}
