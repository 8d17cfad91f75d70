import { smallDisk } from '@cer/sql-store/testing';
import { TestLog } from '@cer/tlog/testing';
import { expect, it } from '@jest/globals';
import { join } from 'node:path';
import { get, makeWitness, serveWitness, submit } from './local-witness.js';

it('is not ready on a full disk until a write succeeds', async () => {
  const disk = smallDisk(4);
  if (disk === null) {
    process.stderr.write('A full disk is not tested here: mounting needs root.\n');
    return;
  }
  const database = join(disk.folder, 'w.sqlite');
  await makeWitness(database);
  const log = new TestLog('node.example/log');
  const witness = await serveWitness(database, [log.vkey]);
  let cosigned = 0;
  /** A cosignature is one write; a refused checkpoint is submitted again. */
  const grow = async (): Promise<number> => {
    if (log.size === cosigned) log.appendMany(1);
    const path = cosigned === 0 ? [] : log.tree.consistencyPath(cosigned, log.size);
    const { status } = await submit(witness.url, await log.checkpoint(), cosigned, path);
    if (status === 200) cosigned = log.size;
    return status;
  };
  const ready = async (): Promise<readonly unknown[]> => {
    const { status, text } = await get(witness.url, '/ready');
    const body: unknown = JSON.parse(text);
    return [status, body];
  };
  try {
    expect(await grow()).toBe(200);
    disk.fill();
    let status = 200;
    for (let at = 0; at < 500 && status === 200; at += 1) status = await grow();
    expect(status).toBe(503);
    const full = {
      status: 'not ready',
      reasons: ['the database cannot be written: its disk may be full or read-only'],
    };
    for (let at = 0; at < 3; at += 1) expect(await ready()).toEqual([503, full]);
    disk.empty();
    expect(await ready()).toEqual([200, { status: 'ready' }]);
    expect(await grow()).toBe(200);
  } finally {
    await witness.close();
    disk.remove();
  }
});
