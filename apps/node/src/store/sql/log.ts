import { bytes, concatBytes } from './bytes.js';
import type { Database, SqlRow, SqlStatement, SqlValue } from './database.js';
import type { LogState } from './log-erasure.js';
import { placeLeaves } from './log-placing.js';
import type {
  LogGrowth,
  LogHalt,
  LogHead,
  LogRow,
  LogStore,
  ShownSource,
  StoredFrontier,
  TileRow,
} from '../ports/log.js';
import type { LeafSource, LoggedLeaf, PendingLeaf } from '../ports/log-leaves.js';
import { text, textOrNull } from './record-rows.js';
import { retryPassing } from './retry.js';
import { StoreError } from '../ports/store-error.js';

const HASH_BYTES = 32;

const PENDING = `
  select leaf_id, tenant_id, label_json, digest, seed from log_leaves where log_index is null order by leaf_id limit $1`;

const LEAF = `l.tenant_id, l.source, l.source_seq, l.log_id, l.log_index, l.number, l.entry, l.label_json, l.digest,
  l.seed, l.deleted_seq`;

/** SQLite keeps the order of a cross join: the certificate or project first, then its few leaves. */
export const LEAF_OF: Readonly<Record<'record' | 'reseal' | 'project', string>> = {
  record: `select ${LEAF} from records r cross join log_leaves l
    where r.certificate_hash = $2 and r.tenant_id = $1 and l.source = 'record' and l.source_seq = r.seq
    order by r.kind, l.leaf_id desc limit 1`,
  reseal: `select ${LEAF} from records r cross join log_leaves l
    where r.resealed_certificate_hash = $2 and r.tenant_id = $1 and l.source = 'reseal' and l.source_seq = r.seq
    order by l.leaf_id desc limit 1`,
  project: `select ${LEAF} from projects p cross join log_leaves l
    where p.project_hash = $2 and p.tenant_id = $1 and l.source = 'project' and l.source_seq = p.seq
    order by l.leaf_id desc limit 1`,
};

/** The log on either database. */
export class SqlLogStore implements LogStore {
  readonly #database: Database;
  readonly #state: LogState;

  constructor(database: Database, state: LogState) {
    this.#database = database;
    this.#state = state;
  }

  async logs(): Promise<readonly LogRow[]> {
    const rows = await this.#find('select * from log_keys order by log_id', []);
    return rows.map(toLog);
  }

  async begin(...[rows]: Parameters<LogStore['begin']>): Promise<boolean> {
    const known = await this.logs();
    if (known.some(({ closedJson }) => closedJson === null)) return false;
    const first = known.length + 1;
    const statements = rows.flatMap(({ origin, role, since, publicKey, holder, reference }, at): SqlStatement[] => [
      {
        sql: `insert into log_keys (log_id, origin, role, since, public_key, holder, held_reference)
          values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing returning log_id`,
        values: [first + at, origin, role, since, publicKey, holder, reference],
        mustReturn: 1,
      },
      {
        sql: 'insert into log_heads (log_id, size, frontier) values ($1, 0, $2)',
        values: [first + at, new Uint8Array(0)],
      },
    ]);
    const isBegun = await this.#transact(statements);
    if (isBegun) this.#state.hasLog = true;
    return isBegun;
  }

  async close(...[closed]: Parameters<LogStore['close']>): Promise<boolean> {
    return await this.#transact(
      closed.flatMap(({ logId, size, closedJson }): SqlStatement[] => [
        // The row that every growth changes: a growth that waits for this transaction then finds the log halted.
        {
          sql: `update log_heads set halted = coalesce(halted, 'LOG_CLOSED') where log_id = $1 and size = $2
            returning log_id`,
          values: [logId, size],
          mustReturn: 1,
        },
        {
          sql: 'update log_keys set closed_json = $2 where log_id = $1 and closed_json is null returning log_id',
          values: [logId, closedJson],
          mustReturn: 1,
        },
      ]),
    );
  }

  async head(logId: number): Promise<LogHead> {
    const [row] = await this.#find('select size, frontier, halted from log_heads where log_id = $1', [logId]);
    if (row === undefined) throw new StoreError('STORE_UNAVAILABLE', 'the log has no head');
    const halted = textOrNull(row, 'halted');
    return {
      size: Number(row['size']),
      peaks: splitHashes(bytes(row, 'frontier')),
      halted: HALTS.find((known) => known === halted) ?? null,
    };
  }

  async halt(logId: number, halted: LogHalt | null): Promise<void> {
    await this.#find('update log_heads set halted = $2 where log_id = $1', [logId, halted]);
  }

  async pending(limit: number): Promise<readonly PendingLeaf[]> {
    const rows = await this.#find(PENDING, [limit]);
    return rows.map((row) => ({
      leafId: Number(row['leaf_id']),
      tenantId: text(row, 'tenant_id'),
      labelJson: text(row, 'label_json'),
      digest: bytes(row, 'digest'),
      seed: bytes(row, 'seed'),
    }));
  }

  async lastNumber(logId: number, tenantId: string): Promise<number> {
    const [row] = await this.#find(
      `select number from log_leaves where log_id = $1 and tenant_id = $2 and number is not null
       order by number desc limit 1`,
      [logId, tenantId],
    );
    return Number(row?.['number'] ?? 0);
  }

  async grow({ logId, oldSize, frontier, leaves, tiles }: LogGrowth): Promise<boolean> {
    const placed = placeLeaves(this.#database.dialect, logId, leaves);
    return await this.#transact([headStatement(logId, oldSize, frontier), ...placed, ...tiles.map(tileStatement)]);
  }

  async entries(...[logId, start, end]: Parameters<LogStore['entries']>): Promise<readonly Uint8Array[]> {
    const rows = await this.#find(
      `select entry from log_leaves where log_id = $1 and log_index is not null and log_index >= $2 and log_index < $3
       order by log_index`,
      [logId, start, end],
    );
    return rows.map((row) => bytes(row, 'entry'));
  }

  async tenantEntries(
    ...[logId, tenantId, start, end]: Parameters<LogStore['tenantEntries']>
  ): Promise<readonly Uint8Array[]> {
    const rows = await this.#find(
      `select entry from log_leaves where log_id = $1 and tenant_id = $2 and number is not null
         and number > $3 and number <= $4 order by number`,
      [logId, tenantId, start, end],
    );
    return rows.map((row) => bytes(row, 'entry'));
  }

  async tenantLeaves(
    ...[logId, tenantId, start, end]: Parameters<LogStore['tenantLeaves']>
  ): Promise<readonly LoggedLeaf[]> {
    const rows = await this.#find(
      `select ${LEAF} from log_leaves l where l.log_id = $1 and l.tenant_id = $2 and l.number is not null
         and l.number > $3 and l.number <= $4 order by l.number`,
      [logId, tenantId, start, end],
    );
    return rows.map(toLogged);
  }

  async shownOf({ source, sourceSeq }: Pick<LoggedLeaf, 'source' | 'sourceSeq'>): Promise<ShownSource | null> {
    switch (source) {
      case 'record':
        return null;
      case 'reseal': {
        const [row] = await this.#find('select public_cer_json from records where seq = $1', [sourceSeq]);
        const publicCerJson = row === undefined ? null : textOrNull(row, 'public_cer_json');
        return publicCerJson === null ? null : { of: 'reseal', publicCerJson };
      }
      case 'project': {
        const [row] = await this.#find('select receipt_json, signature from projects where seq = $1', [sourceSeq]);
        const receiptJson = row === undefined ? null : textOrNull(row, 'receipt_json');
        if (row === undefined || receiptJson === null) return null;
        return { of: 'project', receiptJson, signature: text(row, 'signature') };
      }
      case 'deletion': {
        const [row] = await this.#find('select hash from audit_entries where seq = $1', [sourceSeq]);
        return row === undefined ? null : { of: 'deletion', auditHash: text(row, 'hash') };
      }
    }
  }

  async tile(...[treeId, level, index]: Parameters<LogStore['tile']>): Promise<Uint8Array | null> {
    const [row] = await this.#find('select data from log_tiles where tree_id = $1 and level = $2 and n = $3', [
      treeId,
      level,
      index,
    ]);
    return row === undefined ? null : bytes(row, 'data');
  }

  async leafOf(...[source, tenantId, hash]: Parameters<LogStore['leafOf']>): ReturnType<LogStore['leafOf']> {
    const [row] = await this.#find(LEAF_OF[source], [tenantId, hash]);
    if (row === undefined) return null;
    return { leaf: row['log_index'] === null ? null : toLogged(row) };
  }

  async openDeletions(limit: number): ReturnType<LogStore['openDeletions']> {
    const open = await this.#find(
      `select d.audit_seq, a.hash, a.entry_json from log_deletions d join audit_entries a on a.seq = d.audit_seq
       where d.done = 0 order by d.audit_seq limit $1`,
      [limit],
    );
    return await Promise.all(
      open.map(async (row) => {
        const auditSeq = Number(row['audit_seq']);
        const entry = JSON.parse(text(row, 'entry_json')) as { readonly at: string };
        const leaves = await this.#find(
          `select tenant_id, log_id, number from log_leaves where deleted_seq = $1 order by tenant_id, number`,
          [auditSeq],
        );
        return {
          auditSeq,
          auditHash: text(row, 'hash'),
          at: entry.at,
          isPlaced: leaves.every(({ number }) => number !== null),
          leaves: leaves.map((leaf) => ({
            tenantId: text(leaf, 'tenant_id'),
            logId: leaf['log_id'] === null ? null : Number(leaf['log_id']),
            number: Number(leaf['number']),
          })),
        };
      }),
    );
  }

  async addDeletion(...[auditSeq, covered, leaves]: Parameters<LogStore['addDeletion']>): Promise<boolean> {
    return await this.#transact([
      {
        sql: `update log_deletions set done = 1 where audit_seq = $1 and done = 0
          and (select count(*) from log_leaves where deleted_seq = $1) = $2 returning audit_seq`,
        values: [auditSeq, covered],
        mustReturn: 1,
      },
      ...leaves.map(({ tenantId, leaf: { source, labelJson, digest, seed } }) => ({
        sql: `insert into log_leaves (tenant_id, source, source_seq, label_json, digest, seed)
          values ($1, $2, $3, $4, $5, $6)`,
        values: [tenantId, source, auditSeq, labelJson, digest, seed],
      })),
    ]);
  }

  /** Never retried after a lost answer: the condition would then refuse what is written already. */
  async #transact(statements: readonly SqlStatement[]): Promise<boolean> {
    return await committed(this.#database, statements);
  }

  async #find(sql: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    return await retryPassing(() => this.#database.all(sql, values));
  }
}

/** @returns false when a condition of the transaction does not hold */
export async function committed(database: Database, statements: readonly SqlStatement[]): Promise<boolean> {
  try {
    await database.transact(statements);
    return true;
  } catch (error) {
    if (error instanceof StoreError && error.code === 'STORE_CONDITION_FAILED') return false;
    throw error;
  }
}

/** The head of a log, on the condition of its old size. */
export function headStatement(logId: number, oldSize: number, { size, peaks }: StoredFrontier): SqlStatement {
  return {
    sql: `update log_heads set size = $1, frontier = $2 where log_id = $3 and size = $4 and halted is null
      returning size`,
    values: [size, concatBytes(peaks), logId, oldSize],
    mustReturn: 1,
  };
}

/** Tiles only widen: the database refuses another beginning. */
export function tileStatement({ treeId, level, index, data }: TileRow): SqlStatement {
  return {
    sql: `insert into log_tiles (tree_id, level, n, data) values ($1, $2, $3, $4)
      on conflict (tree_id, level, n) do update set data = excluded.data`,
    values: [treeId, level, index, data],
  };
}

export function splitHashes(joined: Uint8Array): readonly Uint8Array[] {
  return Array.from({ length: joined.length / HASH_BYTES }, (_, at) =>
    joined.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES),
  );
}

function toLog(row: SqlRow): LogRow {
  return {
    logId: Number(row['log_id']),
    origin: text(row, 'origin'),
    role: text(row, 'role') === 'epochs' ? 'epochs' : 'receipts',
    since: text(row, 'since'),
    publicKey: text(row, 'public_key'),
    holder: text(row, 'holder'),
    reference: text(row, 'held_reference'),
    closedJson: textOrNull(row, 'closed_json'),
  };
}

const HALTS: readonly LogHalt[] = ['LOG_FORK', 'LOG_ROLLED_BACK', 'LOG_CLOSED'];

const SOURCES: readonly LeafSource[] = ['record', 'reseal', 'project', 'deletion'];

function toLogged(row: SqlRow): LoggedLeaf {
  const source = SOURCES.find((known) => known === row['source']);
  if (source === undefined) throw new StoreError('STORE_UNAVAILABLE', 'source: the database holds another one');
  return {
    tenantId: text(row, 'tenant_id'),
    source,
    sourceSeq: Number(row['source_seq']),
    logId: Number(row['log_id']),
    index: Number(row['log_index']),
    number: Number(row['number']),
    entry: bytes(row, 'entry'),
    isDeleted: row['deleted_seq'] !== null,
    content:
      row['seed'] === null
        ? null
        : { labelJson: text(row, 'label_json'), digest: bytes(row, 'digest'), seed: bytes(row, 'seed') },
  };
}
