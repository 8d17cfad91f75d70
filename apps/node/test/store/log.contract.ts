import { randomBytes, randomUUID } from 'node:crypto';

import { beforeAll, describe, expect, it } from '@jest/globals';

import type { LogGrowth, LogRow, NewLeaf, PendingLeaf, Store } from '../../src/store/index.js';
import { newRecord } from './new-record.js';

const SINCE = '2026-01-02T03:00:00.000Z';

const bytes = (length: number): Uint8Array => new Uint8Array(randomBytes(length));
export const leaf = (source: NewLeaf['source'] = 'record'): NewLeaf => ({
  source,
  labelJson: '{"kind":"certificate"}',
  digest: bytes(32),
  seed: bytes(32),
});

/** The open logs of a store. The first call begins them. */
async function openLogs({ log }: Store): Promise<{ readonly receipts: LogRow; readonly epochs: LogRow }> {
  const origin = `node.example/${randomUUID()}`;
  const rows = (['receipts', 'epochs'] as const).map((role) => ({
    ...{ origin: role === 'receipts' ? origin : `${origin}/epochs`, role, since: SINCE },
    ...{ publicKey: 'MCow', holder: 'file', reference: randomUUID() },
  }));
  await log.begin(rows);
  const open = (await log.logs()).filter(({ closedJson }) => closedJson === null);
  const [receipts, epochs] = ['receipts', 'epochs'].map((role) => open.find((row) => row.role === role));
  if (receipts === undefined || epochs === undefined) throw new Error('no log is open');
  return { receipts, epochs };
}

/** Stores leaves of a tenant, one record each. @returns them as they wait */
async function store(opened: Store, tenantId: string, count: number): Promise<readonly PendingLeaf[]> {
  for (let at = 0; at < count; at += 1)
    await opened.records.recordOnce({ ...newRecord({ tenantId }), leaves: [leaf()] });
  return (await opened.log.pending(4096)).filter((pending) => pending.tenantId === tenantId);
}

/** The change that gives waiting leaves of one tenant the next places. */
function growthOf(logId: number, oldSize: number, lastNumber: number, leaves: readonly PendingLeaf[]): LogGrowth {
  return {
    logId,
    oldSize,
    frontier: { size: oldSize + leaves.length, peaks: [bytes(32)] },
    leaves: leaves.map(({ leafId }, at) => ({
      ...{ leafId, index: oldSize + at, number: lastNumber + at + 1 },
      entry: Uint8Array.of(1, ...bytes(32)),
    })),
    tiles: [{ treeId: -logId, level: 0, index: oldSize, data: bytes(32) }],
  };
}

/** Contract of the log: leaves, heads, notes, epochs. */
export function logContract(opened: () => Store): void {
  describe('a log', () => {
    let receipts: LogRow;
    let epochs: LogRow;
    beforeAll(async () => {
      ({ receipts, epochs } = await openLogs(opened()));
    });

    it('begins once, empty', async () => {
      const { log } = opened();
      const { origin, role, since, publicKey, holder, reference } = receipts;
      expect(await log.begin([{ origin: `${origin}-2`, role, since, publicKey, holder, reference }])).toBe(false);
      expect(await openLogs(opened())).toEqual({ receipts, epochs });
      expect(await log.head(epochs.logId)).toEqual({ size: 0, peaks: [], halted: null });
    });

    it('grows by one of two that saw the same size, and by nothing of the other', async () => {
      const { log } = opened();
      const tenantId = randomUUID();
      const waiting = await store(opened(), tenantId, 3);
      const { size } = await log.head(receipts.logId);
      const growths = [1, 2].map(() => growthOf(receipts.logId, size, 0, waiting));
      const grown = await Promise.all(growths.map((growth) => log.grow(growth)));
      expect(grown.toSorted()).toEqual([false, true]);
      const taken = growths[grown.indexOf(true)];
      if (taken === undefined) throw new Error('no growth was taken');
      expect(await log.head(receipts.logId)).toEqual({ ...taken.frontier, halted: null });
      const entries = taken.leaves.map(({ entry }) => entry);
      expect(await log.entries(receipts.logId, size, size + 3)).toEqual(entries);
      expect(await log.tile(-receipts.logId, 0, size)).toEqual(taken.tiles[0]?.data);
      expect((await log.pending(4096)).filter((pending) => pending.tenantId === tenantId)).toEqual([]);
      expect(await log.grow(growthOf(receipts.logId, size, 3, []))).toBe(false);
    });

    it('gives no leaf a second place, nor any beside it', async () => {
      const { log } = opened();
      const tenantId = randomUUID();
      const waiting = await store(opened(), tenantId, 2);
      const { size } = await log.head(receipts.logId);
      expect(await log.grow(growthOf(receipts.logId, size, 0, waiting.slice(0, 1)))).toBe(true);
      const before = await log.head(receipts.logId);
      expect(await log.grow(growthOf(receipts.logId, size + 1, 1, waiting))).toBe(false);
      expect(await log.head(receipts.logId)).toEqual(before);
      const pending = (await log.pending(4096)).filter((leaf) => leaf.tenantId === tenantId);
      expect(pending).toEqual(waiting.slice(1));
      expect(await log.grow(growthOf(receipts.logId, size + 1, 1, pending))).toBe(true);
    });

    it('numbers the leaves of each tenant from 1, in the order of their storing', async () => {
      const { log } = opened();
      const tenantId = randomUUID();
      expect(await log.lastNumber(receipts.logId, tenantId)).toBe(0);
      const waiting = await store(opened(), tenantId, 3);
      expect(waiting.map(({ leafId }) => leafId)).toEqual(
        waiting.map(({ leafId }) => leafId).toSorted((a, b) => a - b),
      );
      const { size } = await log.head(receipts.logId);
      const growth = growthOf(receipts.logId, size, 0, waiting);
      expect(await log.grow(growth)).toBe(true);
      expect(await log.lastNumber(receipts.logId, tenantId)).toBe(3);
      const leaves = await log.tenantLeaves(receipts.logId, tenantId, 1, 3);
      expect(leaves).toMatchObject([
        { number: 2, index: size + 1, source: 'record', content: { digest: waiting[1]?.digest } },
        { number: 3, index: size + 2, source: 'record', content: { seed: waiting[2]?.seed } },
      ]);
      expect(await log.tenantEntries(receipts.logId, tenantId, 1, 3)).toEqual(
        growth.leaves.slice(1).map(({ entry }) => entry),
      );
      expect(await log.tenantEntries(receipts.logId, randomUUID(), 0, 3)).toEqual([]);
    });

    it('finds the leaf of a record for its own tenant alone', async () => {
      const { log, records } = opened();
      const record = newRecord({ tenantId: randomUUID() });
      await records.recordOnce({ ...record, leaves: [leaf()] });
      expect(await log.leafOf('record', record.tenantId, record.certificateHash)).toEqual({ leaf: null });
      const waiting = (await log.pending(4096)).filter(({ tenantId }) => tenantId === record.tenantId);
      const { size } = await log.head(receipts.logId);
      expect(await log.grow(growthOf(receipts.logId, size, 0, waiting))).toBe(true);
      expect(await log.leafOf('record', record.tenantId, record.certificateHash)).toMatchObject({
        leaf: { number: 1, index: size, logId: receipts.logId },
      });
      expect(await log.leafOf('record', randomUUID(), record.certificateHash)).toBeNull();
    });

    it('stores a replayed record with no second leaf', async () => {
      const { records, log } = opened();
      const record = { ...newRecord({ tenantId: randomUUID() }), leaves: [leaf()] };
      await records.recordOnce(record);
      await records.recordOnce({ ...record, leaves: [leaf()] });
      const waiting = (await log.pending(4096)).filter(({ tenantId }) => tenantId === record.tenantId);
      expect(waiting).toHaveLength(1);
    });

    it('halts with a reason, and can be released', async () => {
      const { log } = opened();
      await log.halt(epochs.logId, 'LOG_ROLLED_BACK');
      expect(await log.head(epochs.logId)).toMatchObject({ halted: 'LOG_ROLLED_BACK' });
      await log.halt(epochs.logId, null);
      expect(await log.head(epochs.logId)).toMatchObject({ halted: null });
    });

    it('has one note for each size, of the first signer', async () => {
      const { logNotes } = opened();
      const id = receipts.logId;
      const kept = await Promise.all(['first', 'second'].map((note) => logNotes.keep(id, 5, note)));
      expect(new Set(kept).size).toBe(1);
      expect(await logNotes.keep(id, 5, 'third')).toBe(kept[0]);
      expect(await logNotes.newest(id)).toEqual({ size: 5, note: kept[0] });
      expect(await logNotes.newestPublished(id)).toBeNull();
    });

    it('publishes a note once, and refreshes its cosignatures', async () => {
      const { logNotes } = opened();
      const id = receipts.logId;
      for (const size of [10, 20]) {
        await logNotes.keep(id, size, `note ${size}`);
        await logNotes.publish(id, size, `published ${size}`, size * 1000);
      }
      await logNotes.publish(id, 20, 'refreshed', 25_000);
      const last = { size: 20, note: 'published 20', fresh: 'refreshed', publishedMs: 20_000, freshMs: 25_000 };
      expect(await logNotes.newestPublished(id)).toEqual(last);
      expect(await logNotes.firstPublishedAbove(id, 9)).toMatchObject({ size: 10 });
      expect(await logNotes.firstPublishedAbove(id, 10)).toMatchObject({ size: 20 });
      expect(await logNotes.firstPublishedAbove(id, 20)).toBeNull();
      expect(await logNotes.lastPublishedUpTo(id, 10)).toMatchObject({ size: 10 });
      expect(await logNotes.lastPublishedUpTo(id, 9)).toBeNull();
    });

    it('remembers what each witness saw, and each version of its statement', async () => {
      const { logNotes } = opened();
      expect(await logNotes.witnessed(receipts.logId, 'w1')).toBe(0);
      for (const size of [3, 8]) await logNotes.noteWitnessed(receipts.logId, 'w1', size);
      expect([await logNotes.witnessed(receipts.logId, 'w1'), await logNotes.witnessed(epochs.logId, 'w1')]).toEqual([
        8, 0,
      ]);
      const statement = { version: 1, statementJson: '{}', signaturesJson: '[]' };
      expect(await logNotes.addStatement(statement)).toBe(true);
      expect(await logNotes.addStatement({ ...statement, statementJson: '{"other":1}' })).toBe(false);
      expect(await logNotes.newestStatement()).toEqual(statement);
    });

    it('has one tree for each tenant, which grows from the size that was seen', async () => {
      const { logEpochs } = opened();
      const [tenantId, tag] = [randomUUID(), bytes(32)];
      const tree = await logEpochs.tree(receipts.logId, tenantId, tag);
      expect(tree).toMatchObject({ tenantId, tag, size: 0, peaks: [] });
      const grown = await Promise.all([1, 2].map(() => logEpochs.growTree(tree, { size: 1, peaks: [bytes(32)] }, [])));
      expect(grown.toSorted()).toEqual([false, true]);
      expect(await logEpochs.tree(receipts.logId, tenantId, tag)).toMatchObject({ treeId: tree.treeId, size: 1 });
    });

    it('has one epoch at each index, and finds epochs by their end', async () => {
      const { log, logEpochs } = opened();
      const [tenantId, tag] = [randomUUID(), bytes(32)];
      const next = (epoch: number): Promise<boolean> =>
        logEpochs.grow({
          ...{ logId: epochs.logId, oldSize: epoch, frontier: { size: epoch + 1, peaks: [bytes(32)] }, tiles: [] },
          epoch: { epoch, entry: bytes(40), to: `2026-01-02T0${4 + epoch}:00:00.000Z` },
          heads: [{ tenantId, tag, size: epoch + 1, root: bytes(32) }],
        });
      expect((await Promise.all([next(0), next(0)])).toSorted()).toEqual([false, true]);
      expect(await next(1)).toBe(true);
      expect((await log.head(epochs.logId)).size).toBe(2);
      const id = epochs.logId;
      expect((await logEpochs.epochs(id, 0, 9)).map(({ epoch }) => epoch)).toEqual([0, 1]);
      expect(await logEpochs.firstTo(id, '2026-01-02T04:30:00.000Z', 2)).toMatchObject({ epoch: 1 });
      expect(await logEpochs.lastTo(id, '2026-01-02T04:30:00.000Z', 2)).toMatchObject({ epoch: 0 });
      expect(await logEpochs.lastTo(id, SINCE, 2)).toBeNull();
      expect((await logEpochs.headsAt(id, 0)).map(({ size }) => size)).toEqual([1]);
      expect((await logEpochs.headsAt(id, 1)).map(({ size }) => size)).toEqual([2]);
    });

    it('is closed at its size for good, and another may begin', async () => {
      const { log, logEpochs } = opened();
      const heads = await Promise.all([receipts, epochs].map(({ logId }) => log.head(logId)));
      const [size = NaN, epoch = NaN] = heads.map((head) => head.size);
      const closed = [
        { logId: receipts.logId, size, closedJson: '{"size":0}' },
        { logId: epochs.logId, size: epoch, closedJson: '{"size":0}' },
      ];
      expect(await log.close(closed.map((row) => ({ ...row, size: row.size + 1 })))).toBe(false);
      expect((await log.logs()).every(({ closedJson }) => closedJson === null)).toBe(true);
      expect(await log.close(closed)).toBe(true);
      expect(await log.close(closed)).toBe(false);

      const waiting = await store(opened(), randomUUID(), 1);
      expect(await log.grow(growthOf(receipts.logId, size, 0, waiting))).toBe(false);
      const grown = logEpochs.grow({
        ...{ logId: epochs.logId, oldSize: epoch, frontier: { size: epoch + 1, peaks: [bytes(32)] }, tiles: [] },
        epoch: { epoch, entry: bytes(40), to: '2026-01-03T00:00:00.000Z' },
        heads: [],
      });
      expect(await grown).toBe(false);
      for (const { logId } of closed) expect(await log.head(logId)).toMatchObject({ halted: 'LOG_CLOSED' });

      const { origin, role, since, publicKey, holder, reference } = receipts;
      expect(await log.begin([{ origin, role, since, publicKey, holder, reference }])).toBe(false);
      const next = await openLogs(opened());
      expect([receipts.logId, epochs.logId]).not.toContain(next.receipts.logId);
      expect((await log.logs()).filter(({ closedJson }) => closedJson !== null)).toHaveLength(2);
    });
  });
}
