import type { Database, SqlStatement } from './database.js';
import { retryPassing } from './retry.js';

const TAKE = `insert into leases (name, holder, expires_ms) values ($1, '', 0)
  on conflict (name) do update set holder = excluded.holder`;
const GIVE_BACK = 'delete from leases where name = $1';

/**
 * Runs an insert that first counts the rows that it would add to. A PostgreSQL statement counts those committed before
 * it started, so two at once may both find room: here the second waits for a row of the first, which is gone when the
 * first commits. Advisory locks are not on every database that speaks PostgreSQL's protocol. SQLite has one writer.
 * @param name of what is counted
 * @param insert returns its row, also when it finds it: after a commit whose answer was lost it is repeated. It counts
 *   the others
 * @returns whether there is room for the row
 */
export async function insertLimited(database: Database, name: string, insert: SqlStatement): Promise<boolean> {
  const isShared = database.dialect === 'postgres';
  const statements = isShared ? [{ sql: TAKE, values: [name] }, insert, { sql: GIVE_BACK, values: [name] }] : [insert];
  const answers = await retryPassing(() => database.transact(statements));
  return answers.some((rows) => rows.length > 0);
}
