import { openDatabase, type Migration } from '@cer/sql-store';
import { sqliteTestDatabase } from '@cer/sql-store/testing';
import { describe, expect, it } from '@jest/globals';
import { MIGRATIONS as BRIDGE } from '../../apps/bridge/src/store/migrations.js';
import { MIGRATIONS as DASHBOARD } from '../../apps/dashboard/src/store/migrations.js';
import { MIGRATIONS as WITNESS } from '../../apps/witness/src/store/migrations.js';

/** `isRequired`: an insert that does not name the column fails. */
interface Column {
  readonly table: string;
  readonly column: string;
  readonly definition: string;
  readonly isRequired: number;
}

const COLUMNS = `
  select m.name as "table", c.name as "column", c.type || c."notnull" || c.pk as definition,
    c."notnull" and c.dflt_value is null as "isRequired"
  from sqlite_master m, pragma_table_info(m.name) c where m.type = 'table'`;

/** Changes of a step by which statements of the earlier releases fail. */
async function breaksOf(migrations: readonly Migration[]): Promise<readonly string[]> {
  const file = await sqliteTestDatabase();
  const breaks: string[] = [];
  let before: readonly Column[] = [];
  for (const [index, { version }] of migrations.entries()) {
    const { database } = await openDatabase(file.url, migrations.slice(0, index + 1));
    const after = await database.run((db) => db.raw<readonly Column[]>(COLUMNS));
    await database.close();
    const has = (columns: readonly Column[], { table, column, definition }: Column): boolean =>
      columns.some((each) => each.table === table && each.column === column && each.definition === definition);
    for (const each of before) {
      if (!has(after, each)) breaks.push(`${version} removes or changes ${each.table}.${each.column}`);
    }
    for (const each of after) {
      const isNew = before.some(({ table }) => table === each.table) && !has(before, each);
      if (isNew && each.isRequired === 1) breaks.push(`${version} requires ${each.table}.${each.column}`);
    }
    before = after;
  }
  await file.remove();
  return breaks;
}

/** @see docs/operations.md, "Upgrade". The node's steps have a test of their own. */
describe('the steps of a schema let running instances of the earlier releases serve', () => {
  it.each<[string, readonly Migration[], readonly string[]]>([
    // Before the first release.
    ['bridge', BRIDGE, ['3 removes or changes ingests.door', '3 requires ingests.source']],
    ['dashboard', DASHBOARD, []],
    ['witness', WITNESS, []],
  ])('%s', async (_name, migrations, known) => {
    expect(await breaksOf(migrations)).toEqual(known);
  });
});
