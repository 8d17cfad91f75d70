import { join } from 'node:path';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';

import { afterAll, expect, it } from '@jest/globals';

import { openSqliteFile } from './sqlite-file.js';
import { Statements } from './statements.js';

const folder = mkdtempSync(join(tmpdir(), 'cer-statements-'));
const file = openSqliteFile(join(folder, 'some.sqlite'));
const statements = new Statements(file);
afterAll(() => {
  file.close();
  rmSync(folder, { recursive: true });
});

it.each([
  ['in order', 'select $1 as a, $2 as b'],
  ['out of order', 'select $2 as b, $1 as a'],
  ['that recur', 'select $1 as a, $2 as b where $1 = 1'],
  ['that begin twice', 'select $1 as a, b from (select $1 as c, $2 as b) where c = $1'],
])('binds values to placeholders %s', (_, sql) => {
  for (const b of ['x', new Uint8Array([1, 2])]) {
    const [row] = statements.run({ sql, values: [1, b] }).rows;
    expect(row).toEqual({ a: 1, b: typeof b === 'string' ? b : Buffer.from(b) });
  }
});

it('binds more than nine values', () => {
  const values = Array.from({ length: 12 }, (_, at) => at);
  const sql = `select ${values.map((at) => `$${String(at + 1)} as v${String(at)}`).join(', ')}`;
  expect(Object.values(statements.run({ sql, values }).rows[0] ?? {})).toEqual(values);
});
