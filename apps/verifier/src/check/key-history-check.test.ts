import { describe, expect, it } from '@jest/globals';
import { historyKeyOf, TestKeyHistory } from '@cer/cer-core/testing';
import { testSigner } from '@cer/keys/testing';
import { checkKeyHistory } from './key-history-check.js';
import { pinKeyHistory, type PinResult } from './pin-key-history.js';

const AT = '2026-01-20T00:00:00.000Z';
const second = testSigner(2);
const history = (): TestKeyHistory =>
  new TestKeyHistory()
    .add({ type: 'key-added', key: historyKeyOf(second) })
    .add({ type: 'key-revoked', kid: second.kid, revokedAt: '2026-01-04T00:00:00.000Z', reason: 'keyCompromise' });

describe('a key history by itself', () => {
  it('lists entries, roots and the revocation horizon', async () => {
    const document = await history().signed();
    const look = await checkKeyHistory(JSON.stringify(document), AT);
    expect(look).toMatchObject({
      state: 'signed',
      fault: null,
      nodeId: 'test-node',
      statement: { version: 1, entries: 5, isOverdue: false, issuedAt: document.statement?.issuedAt },
      roots: [{ fingerprint: history().rootFingerprint, status: 'live', signsStatement: true }],
    });
    expect(look.entries.map(({ seq, type, isPending }) => [seq, type, isPending])).toEqual([
      [1, 'root-added', false],
      [2, 'key-added', false],
      [3, 'key-activated', false],
      [4, 'key-added', false],
      [5, 'key-revoked', false],
    ]);
    expect(look.entries[4]).toMatchObject({
      kid: second.kid,
      reason: 'keyCompromise',
      effectiveAt: expect.any(String),
    });
  });

  it('reports unsigned entries and an overdue statement', async () => {
    const growing = history();
    const signed = await growing.signed();
    growing.add({ type: 'key-added', key: historyKeyOf(testSigner(3)) });
    const look = await checkKeyHistory(JSON.stringify({ ...signed, entries: growing.entries }), '2027-01-01T00:00:00Z');
    expect(look.state).toBe('signed');
    expect(look.statement?.isOverdue).toBe(true);
    expect(look.entries.map(({ isPending }) => isPending)).toEqual([false, false, false, false, false, true]);
  });

  it('is listed as unsigned without a root', async () => {
    const document = { ...(await history().signed()), statement: null, signatures: [] };
    const look = await checkKeyHistory(JSON.stringify(document), AT);
    expect(look).toMatchObject({ state: 'unsigned', fault: null, statement: null });
    expect([look.entries.length, look.roots.length]).toEqual([5, 1]);
  });

  it.each([
    ['an entry is missing', 'KEY_HISTORY_CHAIN_BROKEN', (text: string) => text.replace('"seq":3', '"seq":4')],
    ['a key is another', 'KEY_HISTORY_CHAIN_BROKEN', (text: string) => text.replace('2020-01-01', '2019-01-01')],
    ['it is not a history', 'KEY_HISTORY_INVALID', () => '{"keys":[]}'],
    ['it is not JSON', 'KEY_HISTORY_INVALID', () => '<html>'],
    ['none of its own roots signed it', 'KEY_HISTORY_SIGNATURE_INVALID', (text: string) => dropSignatures(text)],
  ])('is broken where %s', async (_, code, spoil) => {
    const look = await checkKeyHistory(spoil(JSON.stringify(await history().signed())), AT);
    expect([look.state, look.fault?.code]).toEqual(['broken', code]);
  });
});

describe('the keys under a pinned root', () => {
  const pin = { nodeId: 'test-node', rootFingerprint: history().rootFingerprint };
  const take = async (
    given: TestKeyHistory,
    more: Partial<Parameters<typeof pinKeyHistory>[0]> = {},
  ): Promise<PinResult> =>
    pinKeyHistory({ text: JSON.stringify(await given.signed()), pin, highestSeen: null, at: AT, ...more });

  it('come with the statement', async () => {
    const result = await take(history());
    if (!result.accepted) throw new Error(result.finding.code);
    expect(JSON.parse(result.keySet)).toMatchObject({ nodeId: 'test-node', keys: [{}, { status: 'revoked' }] });
    expect(result.voucher).toMatchObject({ ...pin, version: 1, notices: [] });
  });

  it.each([
    ['another root', { pin: { ...pin, rootFingerprint: `sha256:${'0'.repeat(64)}` } }, 'KEY_HISTORY_ROOT_UNKNOWN'],
    ['another node', { pin: { ...pin, nodeId: 'other' } }, 'KEY_HISTORY_NODE_MISMATCH'],
    ['no JSON', { text: '{' }, 'KEY_HISTORY_INVALID'],
  ])('are empty under %s', async (_, more, code) => {
    expect(await take(history(), more)).toMatchObject({ accepted: false, finding: { code } });
  });

  it('are empty for a rolled-back history', async () => {
    const first = await take(history());
    if (!first.accepted) throw new Error(first.finding.code);
    const shorter = await take(new TestKeyHistory(), { highestSeen: first.seen });
    expect(shorter).toMatchObject({ accepted: false, finding: { code: 'KEY_HISTORY_ROLLBACK' } });
  });
});

function dropSignatures(text: string): string {
  return JSON.stringify({ ...(JSON.parse(text) as object), signatures: [] });
}
