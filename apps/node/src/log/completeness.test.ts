import { expect, it } from '@jest/globals';

import type { LoggedLeaf, LogRow, StoredEpoch } from '../store/index.js';
import { leafRange, type CompletenessStore } from './completeness.js';

const LEAVES = 1_200;
const TAG = new Uint8Array(32).fill(1);
const rowOf = (logId: number, role: LogRow['role']): LogRow => ({
  ...{ logId, role, origin: `node.example/${role}`, since: '2026-01-01T00:00:00.000Z', publicKey: '' },
  ...{ holder: 'file', reference: '', closedJson: null },
});
const SHOWN = { size: 1, note: 'a checkpoint' };
const EPOCH: StoredEpoch = { epoch: 0, entry: new Uint8Array(1), to: '2026-01-02T00:00:00.000Z' };

/**
 * A log with one tenant, and the number of leaves of each read.
 * @param sizes of the tenant's tree at each epoch, in leaves
 */
function logOf(
  leafAt: (at: number) => LoggedLeaf,
  sizes: readonly number[] = [LEAVES],
): { readonly store: CompletenessStore; readonly read: number[] } {
  const read: number[] = [];
  const unasked = async (): Promise<never> => Promise.reject(new Error('was not asked for'));
  const store: CompletenessStore = {
    log: {
      tile: async () => new Uint8Array(256 * 32),
      entries: unasked,
      tenantEntries: unasked,
      tenantLeaves: async (_logId, _tenantId, start, end) => {
        read.push(end - start);
        return Array.from({ length: end - start }, (_, at) => leafAt(start + at));
      },
    },
    logEpochs: {
      epochs: async (_logId, epoch) => [{ ...EPOCH, epoch }],
      firstTo: async () => EPOCH,
      lastTo: unasked,
      headsAt: async (_logId, epoch) => [
        { tenantId: 'tenant', tag: TAG, size: sizes[epoch] ?? 0, root: new Uint8Array(32) },
      ],
      tree: unasked,
    },
  };
  return { store, read };
}

const leaf = (at: number, isDeleted: boolean): LoggedLeaf => ({
  ...{ logId: 1, tenantId: 'tenant', index: at, number: at + 1, entry: new Uint8Array(33), source: 'record' },
  ...{ sourceSeq: at, isDeleted, content: isDeleted ? null : { seed: TAG, digest: TAG, labelJson: '{}' } },
});

it.each([
  ['without a deleted leaf', LEAVES, [500, 500, 200]],
  ['in search of a deletion', 600, [500, 500, 200]],
])('reads the leaves of a range in parts, %s', async (_name, deleted, parts) => {
  const { store, read } = logOf((at) => leaf(at, at === deleted));
  const deps = { store, receipts: rowOf(1, 'receipts'), epochs: rowOf(2, 'epochs'), tagOf: () => TAG };
  const range = await leafRange(deps, 'tenant', { attestedFrom: null, attestedTo: null }, SHOWN);
  if (deleted < LEAVES) expect(range).toBeNull();
  else expect(range).toMatchObject({ start: 0, end: LEAVES });
  expect(read).toEqual(parts);
});

it.each([
  ['named in the next epoch', 301, { start: 0, end: LEAVES }],
  ['never named', 302, null],
])('reads a leaf once for the deletion of one that is %s', async (_name, named, found) => {
  const labelJson = JSON.stringify({ deletes: [[named, named]] });
  const deletion: Partial<LoggedLeaf> = { source: 'deletion', content: { seed: TAG, digest: TAG, labelJson } };
  const { store, read } = logOf((at) => ({ ...leaf(at, at === 300), ...(at === 700 && deletion) }), [600, LEAVES]);
  const deps = { store, receipts: rowOf(1, 'receipts'), epochs: rowOf(2, 'epochs'), tagOf: () => TAG };
  const period = { attestedFrom: null, attestedTo: '2026-01-01T00:00:00.000Z' };
  const range = await leafRange(deps, 'tenant', period, { ...SHOWN, size: 2 });
  expect(range === null ? null : { start: range.start, end: range.end }).toEqual(found);
  expect(read).toEqual([500, 100, 500, 100]);
});
