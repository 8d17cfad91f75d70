import type { Database, SqlRow, SqlStatement, SqlValue } from './database.js';
import { NOW_MS } from './leases.js';
import { text, textOrNull } from './record-rows.js';
import { retryPassing } from './retry.js';
import type {
  SigningKeyChange,
  SigningKeyRow,
  SigningKeyStore,
  SigningNode,
  SigningState,
  StatementRow,
} from '../ports/signing-keys.js';
import { StoreError } from '../ports/store-error.js';

const SET_KEY = `
  insert into signing_keys (kid, public_key, status, created_at, not_before, retired_at, revoked_at, compromised_since,
    revocation_reason, context_unprotected_before, holder, held_reference)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
  on conflict (kid) do update set status = excluded.status, retired_at = excluded.retired_at,
    revoked_at = excluded.revoked_at, compromised_since = excluded.compromised_since,
    revocation_reason = excluded.revocation_reason`;

const ANNOUNCE = `
  insert into signing_nodes (instance_id, kid, last_signed_at, seen_ms) values ($1, $2, $3, $4)
  on conflict (instance_id) do update set kid = excluded.kid, last_signed_at = excluded.last_signed_at,
    seen_ms = excluded.seen_ms`;

/** Signing keys and their history, on either database. */
export class SqlSigningKeyStore implements SigningKeyStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async read(): Promise<SigningState> {
    const [head] = await this.#run(
      `select max(seq) as seq, ${NOW_MS[this.#database.dialect]} as now_ms from key_history`,
    );
    const keys = await this.#run('select * from signing_keys order by seq');
    const nodes = await this.#run('select * from signing_nodes');
    const [newest] = await this.#run('select attested_at from records order by seq desc limit 1');
    return {
      historySeq: Number(head?.['seq'] ?? 0),
      keys: keys.map(toKey),
      nodes: nodes.map(toNode),
      newestRecordAt: newest === undefined ? null : text(newest, 'attested_at'),
      databaseMs: Number(head?.['now_ms']),
    };
  }

  async change({ keys, entries }: SigningKeyChange): Promise<boolean> {
    const statements: SqlStatement[] = [
      ...entries.map(({ seq, json }) => ({
        sql: 'insert into key_history (seq, entry_json) values ($1, $2)',
        values: [seq, json],
      })),
      ...keys.map((key) => ({ sql: SET_KEY, values: valuesOf(key) })),
    ];
    try {
      await retryPassing(() => this.#database.transact(statements));
      return true;
    } catch (error) {
      const [first] = entries;
      if (first === undefined || !(error instanceof StoreError) || error.code !== 'STORE_ROW_REFUSED') throw error;
      const [taken] = await this.#run('select entry_json from key_history where seq = $1', [first.seq]);
      if (taken === undefined) throw error;
      // A retry after a lost commit response finds its own row.
      return text(taken, 'entry_json') === first.json;
    }
  }

  async eraseReference(kid: string): Promise<void> {
    await this.#run('update signing_keys set held_reference = null where kid = $1', [kid]);
    await this.#database.purgeErased();
  }

  async historyAfter(seq: number): Promise<readonly string[]> {
    const rows = await this.#run('select entry_json from key_history where seq > $1 order by seq', [seq]);
    return rows.map((row) => text(row, 'entry_json'));
  }

  async announce({ instanceId, kid, lastSignedAt, seenMs }: SigningNode): Promise<void> {
    await this.#run(ANNOUNCE, [instanceId, kid, lastSignedAt, seenMs]);
  }

  async leave(instanceId: string): Promise<void> {
    await this.#run('delete from signing_nodes where instance_id = $1', [instanceId]);
  }

  async forgetSilent(sinceMs: number): Promise<void> {
    await this.#run('delete from signing_nodes where seen_ms < $1', [sinceMs]);
  }

  async newestStatement(): Promise<StatementRow | null> {
    const [row] = await this.#run('select * from key_set_statements order by version desc limit 1');
    if (row === undefined) return null;
    return {
      version: Number(row['version']),
      statementJson: text(row, 'statement_json'),
      signaturesJson: text(row, 'signatures_json'),
    };
  }

  async addStatement({ version, statementJson, signaturesJson }: StatementRow): Promise<boolean> {
    const rows = await this.#run(
      `insert into key_set_statements (version, statement_json, signatures_json) values ($1, $2, $3)
       on conflict (version) do nothing returning version`,
      [version, statementJson, signaturesJson],
    );
    return rows.length > 0;
  }

  #run(sql: string, values: readonly SqlValue[] = []): Promise<readonly SqlRow[]> {
    return retryPassing(() => this.#database.all(sql, values));
  }
}

function valuesOf(key: SigningKeyRow): SqlValue[] {
  return [
    ...[key.kid, key.publicKey, key.status, key.createdAt, key.notBefore, key.retiredAt, key.revokedAt],
    ...[key.compromisedSince, key.revocationReason, key.contextUnprotectedBefore, key.holder, key.reference],
  ];
}

function toKey(row: SqlRow): SigningKeyRow {
  const status = text(row, 'status');
  return {
    kid: text(row, 'kid'),
    publicKey: text(row, 'public_key'),
    // An unknown status signs nothing.
    status: status === 'active' || status === 'revoked' ? status : 'retired',
    createdAt: text(row, 'created_at'),
    notBefore: text(row, 'not_before'),
    retiredAt: textOrNull(row, 'retired_at'),
    revokedAt: textOrNull(row, 'revoked_at'),
    compromisedSince: textOrNull(row, 'compromised_since'),
    revocationReason: textOrNull(row, 'revocation_reason'),
    contextUnprotectedBefore: textOrNull(row, 'context_unprotected_before'),
    holder: text(row, 'holder'),
    reference: textOrNull(row, 'held_reference'),
  };
}

function toNode(row: SqlRow): SigningNode {
  return {
    instanceId: text(row, 'instance_id'),
    kid: textOrNull(row, 'kid'),
    lastSignedAt: textOrNull(row, 'last_signed_at'),
    // PostgreSQL returns a bigint as text.
    seenMs: Number(row['seen_ms']),
  };
}
