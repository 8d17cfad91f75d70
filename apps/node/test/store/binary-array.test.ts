import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import { postgresTestDatabase, type TestDatabase } from '@cer/sql-store/testing';

import { bytesArray, textArray } from '../../src/store/postgres/binary-array.js';

let database: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await postgresTestDatabase();
  client = new pg.Client(database.url);
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.remove();
});

const received = async (type: 'text' | 'bytea', array: Buffer): Promise<unknown> => {
  const { rows } = await client.query<{ value: unknown }>(
    `select value from unnest($1::${type}[]) with ordinality as input (value, position) order by position`,
    [array],
  );
  return rows.map(({ value }) => value);
};

it('PostgreSQL receives texts and nulls as they are', async () => {
  const text = fc.string({ unit: 'binary' }).filter((value) => !value.includes('\0'));
  const texts = fc.array(fc.oneof(fc.constantFrom('', 'NULL', '{"a":"\\\\"}', 'é†😀'), fc.constant(null), text));
  await fc.assert(
    fc.asyncProperty(texts, async (values) => {
      expect(await received('text', textArray(values))).toEqual(values);
    }),
  );
});

it('PostgreSQL receives bytes as they are', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array()), async (values) => {
      expect(await received('bytea', bytesArray(values))).toEqual(values.map((value) => Buffer.from(value)));
    }),
  );
});
