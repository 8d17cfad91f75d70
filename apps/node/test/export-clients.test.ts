import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, describe, expect, it } from '@jest/globals';
import { executionRequest } from '@cer/cer-core/testing';
import { parseKeyHistory } from '@cer/keys/key-history';

import type { RecordList } from '../src/store/index.js';
import { ask } from './ask.js';
import { keyPremises } from './signing-keys/key-premises.js';
import { MUCH, tenantWithMuch } from './tenant-with-much.js';
import { startTestNode, type TestNode } from './test-node.js';
import { openUnixSocket, type UnixSocket } from './unix-socket.js';
import { zipFiles } from './zip-files.js';

const endings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});

interface CountingNode extends TestNode {
  readonly socket: UnixSocket;
  /** Number of records read for packages so far. */
  readonly recordsRead: () => number;
}

async function countingNode(stallMs: number): Promise<CountingNode> {
  let read = 0;
  const node = await startTestNode({
    replace: ({ store }) => {
      const { recordList } = store;
      const counting: RecordList = {
        place: (...asked) => recordList.place(...asked),
        page: (...asked) => recordList.page(...asked),
        count: (...asked) => recordList.count(...asked),
        isUndescribed: () => recordList.isUndescribed(),
        snapshot: () => recordList.snapshot(),
        all: async function* (...asked) {
          for await (const record of recordList.all(...asked)) {
            read += 1;
            yield record;
          }
        },
      };
      return { stallMs, store: { ...store, recordList: counting } };
    },
  });
  endings.push(() => node.close());
  const socket = await openUnixSocket(node.deps);
  endings.push(() => socket.close());
  return { ...node, socket, recordsRead: () => read };
}

/** Waits until a figure is above zero and stable. @returns it */
async function settled(figure: () => number): Promise<number> {
  let before = 0;
  while (figure() === 0 || figure() !== before) {
    before = figure();
    await sleep(100);
  }
  return before;
}

describe('a client that downloads an audit package', () => {
  it('and stops reading buffers few records', async () => {
    const node = await countingNode(60_000);
    const response = await node.socket.asksForPackage(await tenantWithMuch(node, randomUUID()));
    const held = await settled(node.recordsRead);
    expect(held).toBeGreaterThan(0);
    expect(held).toBeLessThan(MUCH / 4);
    response.destroy();
  });

  it('and stops reading too long loses its slot', async () => {
    // Long enough to read the heads of both responses on a loaded machine.
    const node = await countingNode(2000);
    const key = await tenantWithMuch(node, randomUUID());
    const stalled = await Promise.all([node.socket.asksForPackage(key), node.socket.asksForPackage(key)]);
    const abandoned = (): number => node.log.filter((line) => line.includes('"status":499')).length;
    while (abandoned() < 2) await sleep(20);
    expect((await node.socket.asksForPackage(key, 'HEAD')).statusCode).toBe(200);
    for (const response of stalled) {
      await expect(response.toArray()).rejects.toMatchObject({ code: 'ECONNRESET' });
    }
    expect(node.recordsRead()).toBeLessThan(2 * MUCH);
  });

  it('and disconnects stops the reading', async () => {
    const node = await countingNode(60_000);
    const response = await node.socket.asksForPackage(await tenantWithMuch(node, randomUUID()));
    await settled(node.recordsRead);
    response.destroy();
    const atTheEnd = await settled(node.recordsRead);
    expect(atTheEnd).toBeLessThan(MUCH);
    while (!node.log.some((line) => line.includes('"status":499'))) await sleep(20);
  });
});

describe('the key history of a node', () => {
  it('is in its packages in published form', async () => {
    const premises = await keyPremises();
    endings.push(() => premises.remove());
    const { signing, operations, history } = await premises.open();
    const node = await startTestNode({
      database: premises.database,
      replace: () => ({ signing, keyOperations: operations, keyHistory: history, now: premises.now }),
    });
    endings.push(() => node.close());
    const key = await node.newKey();
    const certified = await ask(node, 'post', '/v1/cer/ai/certify', {
      key,
      body: executionRequest({ executionId: randomUUID() }),
    });
    expect(certified.status).toBe(200);
    const socket = await openUnixSocket(node.deps);
    endings.push(() => socket.close());
    const response = await socket.asksForPackage(key);
    const files = await zipFiles(Buffer.concat((await response.toArray()) as Buffer[]));
    const packed: unknown = JSON.parse(files.get('key-history.json')?.toString() ?? 'null');
    expect(packed).toEqual((await ask(node, 'get', '/.well-known/svc-key-history.json')).body);
    expect(parseKeyHistory(packed).entries).not.toHaveLength(0);
  });
});
