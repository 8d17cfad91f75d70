import { copyFileSync, renameSync } from 'node:fs';

import { executionRequest } from '@cer/cer-core/testing';
import { sqliteTestDatabase } from '@cer/sql-store/testing';
import { expect, it } from '@jest/globals';

import { ask } from './ask.js';
import { premisesOn, startNodeProcess } from './node-process.js';

it.each([
  ['moved, with a writer thread', { SQLITE_WRITER_THREAD: 'on' }, false],
  ['replaced, with one thread', { SQLITE_WRITER_THREAD: 'off' }, true],
])('acknowledges nothing while its SQLite file is %s', async (_, env, isReplaced) => {
  const database = await sqliteTestDatabase();
  const premises = await premisesOn(database);
  const path = database.url.replace('sqlite:', '');
  const node = await startNodeProcess({ ...premises.env, ...env });
  const certify = (executionId: string) =>
    ask(node, 'post', '/v1/cer/ai/certify', { key: premises.key, body: executionRequest({ executionId }) });
  expect((await certify('before')).status).toBe(200);

  renameSync(path, `${path}.moved`);
  if (isReplaced) copyFileSync(`${path}.moved`, path);
  expect((await certify('moved')).status).toBe(500);
  expect(await ask(node, 'get', '/ready')).toMatchObject({
    status: 503,
    body: { status: 'not ready', reasons: ['store: cannot be written'] },
  });

  renameSync(`${path}.moved`, path);
  expect((await certify('moved')).status).toBe(200);
  expect((await ask(node, 'get', '/ready')).status).toBe(200);
  node.kill('SIGTERM');
  await node.ended;
  premises.remove();
  await database.remove();
});
