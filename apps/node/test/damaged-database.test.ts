import { closeSync, openSync, writeSync } from 'node:fs';

import { executionRequest } from '@cer/cer-core/testing';
import { sqliteTestDatabase } from '@cer/sql-store/testing';
import { expect, it } from '@jest/globals';

import { ask } from './ask.js';
import { premisesOn, startNodeProcess } from './node-process.js';

const PAGE_BYTES = 4096;

it('is not ready when the database is too damaged to certify', async () => {
  const database = await sqliteTestDatabase();
  const premises = await premisesOn(database);
  const [index] = await database.query("select rootpage from sqlite_master where name = 'records_hash'");
  // All of it is in the file, not in the log.
  await database.query('pragma wal_checkpoint(TRUNCATE)');
  const file = openSync(database.url.replace('sqlite:', ''), 'r+');
  writeSync(file, Buffer.alloc(PAGE_BYTES, 'x'), 0, PAGE_BYTES, (Number(index?.['rootpage']) - 1) * PAGE_BYTES);
  closeSync(file);

  const node = await startNodeProcess(premises.env);
  expect((await ask(node, 'get', '/ready')).status).toBe(200);
  const body = executionRequest({ executionId: 'one' });
  expect((await ask(node, 'post', '/v1/cer/ai/certify', { key: premises.key, body })).status).toBe(500);
  expect(await ask(node, 'get', '/ready')).toMatchObject({
    status: 503,
    body: { status: 'not ready', reasons: ['store: is damaged'] },
  });
  node.kill('SIGTERM');
  await node.ended;
  premises.remove();
  await database.remove();
});
