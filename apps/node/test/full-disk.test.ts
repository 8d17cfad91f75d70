import { randomUUID } from 'node:crypto';

import { executionRequest } from '@cer/cer-core/testing';
import {
  ownPostgresServer,
  postgresTestDatabase,
  smallDisk,
  sqliteTestDatabase,
  type SmallDisk,
  type TestDatabase,
} from '@cer/sql-store/testing';
import { expect, it } from '@jest/globals';

import { ask } from './ask.js';
import { WAYS_OF_WRITING } from './store/writer-thread.js';
import { startTestNode, type TestNode, type TestNodeOptions } from './test-node.js';

/** More than the free parts of allocated pages hold after a few records. */
const BODY_CHARACTERS = 60_000;

it.each(WAYS_OF_WRITING)('is reported by readiness until a write succeeds: SQLite, written %s', async (_name, way) => {
  const disk = smallDisk(8);
  if (disk === null) {
    reportUntested('SQLite');
    return;
  }
  const unused = await sqliteTestDatabase();
  try {
    await fullAndEmptyAgain(disk, { ...unused, url: `sqlite:${disk.folder}/node.sqlite` }, way);
  } finally {
    disk.remove();
  }
});

it('is reported by readiness until a write succeeds: PostgreSQL', async () => {
  const disk = smallDisk(48);
  if (disk === null) {
    reportUntested('PostgreSQL');
    return;
  }
  // Its own server: while a disk of a server is full none of its checkpoints succeeds, and no database can be dropped.
  const server = await ownPostgresServer();
  try {
    const database = await postgresTestDatabase(server.url);
    await database.query(`create tablespace small location '${disk.folder}'`);
    await database.query('create database small tablespace small');
    const url = Object.assign(new URL(server.url), { pathname: '/small' }).href;
    await fullAndEmptyAgain(disk, { ...database, url });
  } finally {
    await server.stop();
    disk.remove();
  }
});

async function fullAndEmptyAgain(
  disk: SmallDisk,
  database: TestDatabase,
  way: Pick<TestNodeOptions, 'writerThread'> = {},
): Promise<void> {
  const node = await startTestNode({ database, ...way });
  try {
    const key = await node.newKey();
    expect(await certify(node, key)).toBe(200);
    disk.fill();
    // Reading works, and nothing was written yet.
    expect((await ask(node, 'get', '/ready')).status).toBe(200);
    let status = 200;
    for (let at = 0; at < 100 && status === 200; at += 1) status = await certify(node, key);
    expect(status).toBe(500);
    for (let at = 0; at < 3; at += 1) {
      expect(await notReady(node)).toEqual({ status: 'not ready', reasons: ['store: the disk is full'] });
    }
    disk.empty();
    expect((await ask(node, 'get', '/ready')).status).toBe(200);
    expect(await certify(node, key)).toBe(200);
  } finally {
    await node.close();
  }
}

/** On a busy machine the probe may take longer than readiness waits for it: then the reason is found by asking again. */
async function notReady(node: TestNode): Promise<unknown> {
  for (;;) {
    const { status, body } = await ask(node, 'get', '/ready');
    expect(status).toBe(503);
    if (!JSON.stringify(body).includes('store: is not available')) return body;
  }
}

async function certify(node: TestNode, key: string): Promise<number> {
  const body = executionRequest({ executionId: randomUUID(), input: 'x'.repeat(BODY_CHARACTERS) });
  return (await ask(node, 'post', '/v1/cer/ai/certify', { key, body })).status;
}

function reportUntested(engine: string): void {
  process.stderr.write(`A full disk of ${engine} is not tested here: mounting needs root.\n`);
}
