// A large store in a minute: some thousands of real records, and copies of their rows under other hashes, executionIds and
// times. A copy does not verify; lists and searches read no content.
import Sqlite from 'better-sqlite3';
import pg from 'pg';

/** Records that are sealed and signed. */
export const REAL_RECORDS = 5_000;
/** Between two records, in ms, as `recordMaker` makes them. */
const STEP_MS = 10;
const COPIES_A_STATEMENT = 10;

const DIALECTS = {
  sqlite: {
    copies: 'with recursive copies (n) as (select $1 union all select n + 1 from copies where n < $2)',
    hash: "'sha256:' || lower(hex(randomblob(32)))",
    id: 'lower(hex(randomblob(16)))',
    later: (seconds) => `strftime('%Y-%m-%dT%H:%M:%fZ', attested_at, '+' || (n * ${seconds}) || ' seconds')`,
  },
  postgres: {
    copies: 'with copies as (select n from generate_series($1::int, $2::int) as n)',
    hash: "'sha256:' || encode(sha256((seq || '/' || n)::bytea), 'hex')",
    id: 'gen_random_uuid()::text',
    later: (seconds) =>
      `to_char((attested_at::timestamptz + n * interval '${seconds} seconds') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  },
};

const KEPT = [
  ...['tenant_id', 'kind', 'bundle_type', 'protocol_version', 'app_id', 'provider', 'model', 'attestation_id', 'kid'],
  ...['request_id', 'described', 'visibility'],
].join(', ');
const CONTENTS = 'bundle_json, meta_json';
/** The first characters of contents, where a large store must fit a disk. */
const SHORT_CONTENTS = 'substr(bundle_json, 1, 64), substr(meta_json, 1, 64)';

const INDEXES = `select name, sql from sqlite_master
  where type = 'index' and tbl_name in ('records', 'executions') and sql is not null`;

/**
 * Fills a store up to a number of rows.
 * @param {string} databaseUrl of a database with REAL_RECORDS records and no other
 * @param {number} rows multiple of REAL_RECORDS
 * @param {{isShort?: boolean}} [options] `isShort`: without the contents, which lists and searches do not read
 * @returns {Promise<string[]>} some hashes of the whole
 */
export async function copyRecords(databaseUrl, rows, { isShort = false } = {}) {
  const isSqlite = databaseUrl.startsWith('sqlite:');
  const { copies, hash, id, later } = DIALECTS[isSqlite ? 'sqlite' : 'postgres'];
  const db = isSqlite ? opened(databaseUrl.slice('sqlite:'.length)) : await connected(databaseUrl);
  try {
    const [{ last }] = await db.all('select max(seq) as last from records', []);
    // Made at the end, sorted: several times faster.
    const indexes = isSqlite ? await db.all(INDEXES, []) : [];
    for (const { name } of indexes) await db.all(`drop index ${name}`, []);
    const fill = `${copies}
      insert into records (${KEPT}, ${CONTENTS}, certificate_hash, execution_id, attested_at)
      select ${KEPT}, ${isShort ? SHORT_CONTENTS : CONTENTS}, ${hash}, ${id}, ${later((REAL_RECORDS * STEP_MS) / 1000)}
      from copies cross join records where seq <= ${Number(last)} order by n, seq`;
    const wanted = rows / REAL_RECORDS - 1;
    for (let n = 1; n <= wanted; n += COPIES_A_STATEMENT) {
      await db.all(fill, [n, Math.min(wanted, n + COPIES_A_STATEMENT - 1)]);
    }
    await db.all(
      `insert into executions (tenant_id, execution_id, certificate_hash, bundle_created_at, snapshot_timestamp)
        select tenant_id, execution_id, certificate_hash, attested_at, attested_at from records where seq > ${Number(last)}
        order by tenant_id, execution_id`,
      [],
    );
    for (const { sql } of indexes) await db.all(sql, []);
    // PostgreSQL does so by itself, some time later.
    if (!isSqlite) await db.all('vacuum analyze', []);
    const seqs = Array.from({ length: 1000 }, (_, at) => Math.floor(((at + 1) * rows) / 1000));
    const some = await db.all(`select certificate_hash from records where seq in (${seqs.join(', ')})`, []);
    return some.map((row) => row.certificate_hash);
  } finally {
    await db.close();
  }
}

/** Begins a log, as an operator does on a node with many records: none of them is in it. */
export async function beginEmptyLog(databaseUrl) {
  const isSqlite = databaseUrl.startsWith('sqlite:');
  const db = isSqlite ? opened(databaseUrl.slice('sqlite:'.length)) : await connected(databaseUrl);
  await db.all(
    `insert into log_keys (log_id, origin, role, since, public_key, holder, held_reference)
      values (1, 'bench.example/log', 'receipts', '2026-01-01T00:00:00.000Z', 'none', 'none', 'none')`,
    [],
  );
  await db.close();
}

function opened(path) {
  const file = new Sqlite(path);
  // A crash costs no more than the run, and a log of everything would be written twice.
  file.pragma('journal_mode = MEMORY');
  file.pragma('synchronous = OFF');
  file.pragma('cache_size = -262144');
  const valuesOf = (values) => Object.fromEntries(values.map((value, index) => [String(index + 1), value]));
  const all = (sql, values) => {
    const statement = file.prepare(sql);
    return statement.reader ? statement.all(valuesOf(values)) : (statement.run(valuesOf(values)), []);
  };
  return { all, close: () => file.close() };
}

async function connected(url) {
  const client = new pg.Client(url);
  await client.connect();
  return { all: async (sql, values) => (await client.query(sql, values)).rows, close: () => client.end() };
}
