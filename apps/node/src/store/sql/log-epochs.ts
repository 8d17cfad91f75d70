import { bytes, concatBytes } from './bytes.js';
import type { Database, SqlRow, SqlStatement, SqlValue } from './database.js';
import { committed, headStatement, splitHashes, tileStatement } from './log.js';
import type { StoredFrontier, TileRow } from '../ports/log.js';
import type { EpochGrowth, EpochHead, LogEpochStore, StoredEpoch, TenantTree } from '../ports/log-epochs.js';
import { text } from './record-rows.js';
import { retryPassing } from './retry.js';
import { StoreError } from '../ports/store-error.js';

const TREE = 'select tree_id, tenant_id, tag, size, frontier from log_trees where log_id = $1';
const EPOCH = 'select epoch, entry, to_time from log_epochs where log_id = $1';

/** Trees of tenants and epochs, on either database. */
export class SqlLogEpochStore implements LogEpochStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async grown(...[logId, start, end]: Parameters<LogEpochStore['grown']>): ReturnType<LogEpochStore['grown']> {
    const rows = await this.#find(
      `select tenant_id, max(number) as size from log_leaves
       where log_id = $1 and log_index is not null and log_index >= $2 and log_index < $3 and number is not null
       group by tenant_id order by tenant_id`,
      [logId, start, end],
    );
    return rows.map((row) => ({ tenantId: text(row, 'tenant_id'), size: Number(row['size']) }));
  }

  async tree(...[logId, tenantId, tag]: Parameters<LogEpochStore['tree']>): Promise<TenantTree> {
    await this.#find(
      `insert into log_trees (log_id, tenant_id, tag, size, frontier) values ($1, $2, $3, 0, $4) on conflict do nothing`,
      [logId, tenantId, tag, new Uint8Array(0)],
    );
    const [row] = await this.#find(`${TREE} and tenant_id = $2`, [logId, tenantId]);
    if (row === undefined) throw new StoreError('STORE_UNAVAILABLE', 'the tree of a tenant is missing');
    return toTree(row);
  }

  async growTree({ treeId, size }: TenantTree, frontier: StoredFrontier, tiles: readonly TileRow[]): Promise<boolean> {
    const grown: SqlStatement = {
      sql: 'update log_trees set size = $1, frontier = $2 where tree_id = $3 and size = $4 returning tree_id',
      values: [frontier.size, concatBytes(frontier.peaks), treeId, size],
      mustReturn: 1,
    };
    return await committed(this.#database, [grown, ...tiles.map(tileStatement)]);
  }

  async trees(logId: number): Promise<readonly TenantTree[]> {
    return (await this.#find(TREE, [logId])).map(toTree);
  }

  async grow({ logId, oldSize, frontier, epoch, tiles, heads }: EpochGrowth): Promise<boolean> {
    return await committed(this.#database, [
      headStatement(logId, oldSize, frontier),
      epochStatement(logId, epoch),
      ...heads.map(({ tenantId, tag, size, root }) => ({
        sql: `insert into log_epoch_heads (log_id, tenant_id, epoch, tag, size, root) values ($1, $2, $3, $4, $5, $6)`,
        values: [logId, tenantId, epoch.epoch, tag, size, root],
      })),
      ...tiles.map(tileStatement),
    ]);
  }

  async epochs(...[logId, start, end]: Parameters<LogEpochStore['epochs']>): Promise<readonly StoredEpoch[]> {
    const rows = await this.#find(`${EPOCH} and epoch >= $2 and epoch < $3 order by epoch`, [logId, start, end]);
    return rows.map(toEpoch);
  }

  async firstTo(...[logId, time, below]: Parameters<LogEpochStore['firstTo']>): Promise<StoredEpoch | null> {
    const sql = `${EPOCH} and to_time >= $2 and epoch < $3 order by epoch limit 1`;
    return firstOf(await this.#find(sql, [logId, time, below]));
  }

  async lastTo(...[logId, time, below]: Parameters<LogEpochStore['lastTo']>): Promise<StoredEpoch | null> {
    const sql = `${EPOCH} and to_time <= $2 and epoch < $3 order by epoch desc limit 1`;
    return firstOf(await this.#find(sql, [logId, time, below]));
  }

  async headsAt(logId: number, epoch: number): Promise<readonly EpochHead[]> {
    const rows = await this.#find(
      `select tenant_id, tag, size, root from log_epoch_heads h
       where log_id = $1 and epoch = (
         select max(epoch) from log_epoch_heads l
         where l.log_id = $1 and l.tenant_id = h.tenant_id and l.epoch <= $2)`,
      [logId, epoch],
    );
    return rows.map((row) => ({
      tenantId: text(row, 'tenant_id'),
      tag: bytes(row, 'tag'),
      size: Number(row['size']),
      root: bytes(row, 'root'),
    }));
  }

  async #find(sql: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    return await retryPassing(() => this.#database.all(sql, values));
  }
}

export function epochStatement(logId: number, { epoch, entry, to }: StoredEpoch): SqlStatement {
  return {
    sql: 'insert into log_epochs (log_id, epoch, entry, to_time) values ($1, $2, $3, $4)',
    values: [logId, epoch, entry, to],
  };
}

function toTree(row: SqlRow): TenantTree {
  return {
    treeId: Number(row['tree_id']),
    tenantId: text(row, 'tenant_id'),
    tag: bytes(row, 'tag'),
    size: Number(row['size']),
    peaks: splitHashes(bytes(row, 'frontier')),
  };
}

function toEpoch(row: SqlRow): StoredEpoch {
  return { epoch: Number(row['epoch']), entry: bytes(row, 'entry'), to: text(row, 'to_time') };
}

function firstOf([row]: readonly SqlRow[]): StoredEpoch | null {
  return row === undefined ? null : toEpoch(row);
}
