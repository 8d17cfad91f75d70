import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { receiptDigest } from '@cer/tlog/leaf';
import { newLeaf } from './new-leaf.js';
import { leafAt, placedLeaf } from './stored-leaf.js';

const TAG = new Uint8Array(32).fill(0xab);
const TENANT = `sha256:${'ab'.repeat(32)}`;
const RECEIPT = { receipt: { kid: 'k' }, signature: 's' };

it('derives the entry of a leaf from its label', () => {
  const text = fc.option(fc.string({ unit: 'grapheme' }));
  fc.assert(
    fc.property(text, text, fc.integer({ min: 1, max: 2 ** 50 }), (appId, bundleType, number) => {
      const at = '2026-01-02T03:04:05.678Z';
      const row = newLeaf('record', { kind: 'certificate', at, appId, bundleType }, RECEIPT);
      const { entry, leafHash } = leafAt(row, number, TAG).leaf;
      expect(placedLeaf(row, number, TENANT)).toMatchObject({ entry, leafHash });
    }),
  );
});

it('derives the entry of a deletion leaf from its label', () => {
  const label = { appId: null, at: '2026-01-02T03:04:05.678Z', bundleType: null, deletes: [[1, 2]], kind: 'deletion' };
  const row = {
    labelJson: JSON.stringify(label),
    digest: receiptDigest(RECEIPT.receipt, RECEIPT.signature),
    seed: new Uint8Array(32).fill(3),
  };
  const { entry, leafHash } = leafAt(row, 3, TAG).leaf;
  expect(placedLeaf(row, 3, TENANT)).toMatchObject({ entry, leafHash });
});
