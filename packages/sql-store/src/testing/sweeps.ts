import { preparedPlanFaults } from './sqlite-plans.js';
import { sqliteTestDatabase, type TestDatabase } from './test-database.js';

/** A sweep of a service on SQLite that is to remove every row of some tables. */
export interface SweepOnSqlite {
  readonly tables: readonly string[];
  readonly rules: Parameters<typeof preparedPlanFaults>[1];
  readonly populate: (
    database: TestDatabase,
  ) => Promise<{ readonly run: (task: string) => Promise<void>; readonly close: () => Promise<void> }>;
  /** The name of the task that sweeps. */
  readonly task: string;
}

/** @returns steps that read many rows, as `preparedPlanFaults` does, and the rows of the tables before and after the sweep */
export async function sweepOnSqlite({
  tables,
  rules,
  populate,
  task,
}: SweepOnSqlite): Promise<{ readonly faults: readonly string[]; readonly before: number; readonly after: number }> {
  const database = await sqliteTestDatabase();
  const service = await populate(database);
  const before = await rowsIn(database, tables);
  let after = before;
  const faults = await preparedPlanFaults(database.query, rules, async () => {
    await service.run(task);
    return {
      close: async () => {
        after = await rowsIn(database, tables);
        await service.close();
      },
    };
  });
  return { faults, before, after };
}

async function rowsIn(database: TestDatabase, tables: readonly string[]): Promise<number> {
  const counts = await Promise.all(tables.map((table) => database.query(`select count(*) as n from ${table}`)));
  return counts.reduce((sum, [row]) => sum + Number(row?.['n']), 0);
}
