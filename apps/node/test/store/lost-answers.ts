import { StoreError } from '../../src/store/index.js';
import type { Database } from '../../src/store/sql/database.js';

interface LostAnswers {
  /** The connection is lost after each of the next `times` writes whose SQL contains `sql`, once they are committed. */
  readonly lose: (sql: string, times: number) => void;
  readonly replaceDatabase: (database: Database) => Database;
}

/** Names the writes of new records. */
export const RECORDS = 'insert records';

/** A database that commits, and whose answers can be lost. */
export function lostAnswers(): LostAnswers {
  let lost = '';
  let left = 0;
  const answered = <Answer>(sql: string, answer: Answer): Answer => {
    if (left === 0 || !sql.includes(lost)) return answer;
    left -= 1;
    throw new StoreError('STORE_UNAVAILABLE', 'the connection was lost');
  };
  return {
    lose: (sql, times) => {
      lost = sql;
      left = times;
    },
    replaceDatabase: (database) => ({
      dialect: database.dialect,
      writes: database.writes,
      all: async (sql, values) => answered(sql, await database.all(sql, values)),
      transact: async (statements) =>
        answered(statements.map(({ sql }) => sql).join(';'), await database.transact(statements)),
      insertBatch: async (records) => answered(RECORDS, await database.insertBatch(records)),
      migrate: (migrations) => database.migrate(migrations),
      purgeErased: () => database.purgeErased(),
      compact: () => database.compact(),
      close: () => database.close(),
    }),
  };
}
