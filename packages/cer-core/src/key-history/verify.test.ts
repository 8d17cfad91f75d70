import { describe, expect, it } from '@jest/globals';
import { encodeBase64Url, keyFingerprint, type Signer } from '@cer/keys';
import type { KeyHistoryDocument, KeySetStatement } from '@cer/keys/key-history';
import { testSigner } from '@cer/keys/testing';
import { historyKeyOf, rootKeyOf, TestKeyHistory } from '../testing/key-history.js';
import { keyHistoryHead } from './chain.js';
import { makeKeySetStatement, signKeySetStatement } from './statement.js';
import { verifyKeyHistory, type SeenKeyHistory, type VerifyKeyHistoryOptions } from './verify.js';

const root = testSigner('root');
const thief = testSigner('thief');
const pin = { nodeId: 'test-node', rootFingerprint: keyFingerprint(root.publicKey), highestSeen: null, at: null };

async function refusalOf(document: unknown, options: Partial<VerifyKeyHistoryOptions> = {}): Promise<string> {
  const result = await verifyKeyHistory(document, { ...pin, ...options });
  return result.accepted ? 'accepted' : result.findings[0].code;
}

async function seenIn(document: KeyHistoryDocument): Promise<SeenKeyHistory> {
  const result = await verifyKeyHistory(document, pin);
  if (!result.accepted) throw new Error(result.findings[0].code);
  return result.seen;
}

/** The document under a validly signed statement that contradicts it, as a careless root would make. */
async function restated(
  document: KeyHistoryDocument,
  members: Partial<KeySetStatement>,
  by: Signer = root,
): Promise<KeyHistoryDocument> {
  if (document.statement === null) throw new Error('no statement');
  const statement = { ...document.statement, ...members };
  return { ...document, statement, signatures: [await signKeySetStatement(statement, by)] };
}

describe('a key history that its pinned root signed', () => {
  it('gives the resulting key set and its date', async () => {
    const second = testSigner(2);
    const history = new TestKeyHistory()
      .add({ type: 'key-added', key: historyKeyOf(second) })
      .add({ type: 'key-activated', kid: second.kid })
      .add({ type: 'key-retired', kid: testSigner(1).kid, retiredAt: '2026-01-05T00:00:00.000Z' });
    const document = await history.signed();
    const result = await verifyKeyHistory(JSON.parse(JSON.stringify(document)), pin);
    expect(result).toMatchObject({ accepted: true, findings: [], seen: { version: 1, historyHead: { seq: 6 } } });
    if (!result.accepted) return;
    expect(result.keySet.activeKid).toBe(second.kid);
    expect(result.keySet.revocationsKnownUntil).toBe(document.statement?.issuedAt);
    expect([...result.keySet.entries.values()].map(({ kid, status }) => [kid, status])).toEqual([
      [testSigner(1).kid, 'retired'],
      [second.kid, 'active'],
    ]);
  });

  it('is accepted again unchanged, refreshed and longer', async () => {
    const history = new TestKeyHistory();
    const first = await history.signed();
    const seen = await seenIn(first);
    expect(await refusalOf(first, { highestSeen: seen })).toBe('accepted');
    expect(await refusalOf(await history.signed(), { highestSeen: seen })).toBe('accepted');
    history.add({ type: 'key-added', key: historyKeyOf(testSigner(2)) });
    expect(await refusalOf(await history.signed(), { highestSeen: seen })).toBe('accepted');
  });

  it.each([
    ['past nextUpdate', '2026-03-01T00:00:00.000Z', ['KEY_HISTORY_OVERDUE']],
    ['before issuedAt', '2025-01-01T00:00:00.000Z', ['KEY_HISTORY_FROM_FUTURE']],
    ['between', '2026-01-10T02:00:00+02:00', []],
  ])('gives a notice when the clock is %s', async (_, at, codes) => {
    const result = await verifyKeyHistory(await new TestKeyHistory().signed(), { ...pin, at });
    expect(result.accepted).toBe(true);
    expect(result.findings.map(({ code }) => code)).toEqual(codes);
  });

  it('ignores entries that no root signed', async () => {
    const history = new TestKeyHistory();
    const signed = await history.signed();
    history.add({ type: 'key-added', key: historyKeyOf(thief) });
    const result = await verifyKeyHistory({ ...signed, entries: history.entries }, pin);
    expect(result).toMatchObject({ accepted: true, findings: [{ code: 'KEY_HISTORY_PENDING' }] });
    expect(result.accepted && [...result.keySet.entries.keys()]).toEqual([testSigner(1).kid]);
  });
});

describe('an attack on the chain', () => {
  it('that omits an entry is detected', async () => {
    const document = await new TestKeyHistory().signed();
    for (let at = 0; at < document.entries.length; at++) {
      const entries = document.entries.filter((_, index) => index !== at);
      expect(await refusalOf({ ...document, entries })).toMatch(/^KEY_HISTORY_(CHAIN_BROKEN|HEAD_MISMATCH)$/);
    }
  });

  it('that changes an entry is detected', async () => {
    const document = await new TestKeyHistory().add({ type: 'key-added', key: historyKeyOf(testSigner(2)) }).signed();
    const entries = document.entries.map((entry, at) =>
      at === 1 ? { ...entry, issuedAt: document.entries[0]?.issuedAt } : entry,
    );
    expect(await refusalOf({ ...document, entries })).toBe('KEY_HISTORY_CHAIN_BROKEN');
  });

  it('that swaps the history is detected', async () => {
    const document = await new TestKeyHistory().signed();
    const { entries } = new TestKeyHistory({ signer: thief });
    expect(await refusalOf({ ...document, entries })).toBe('KEY_HISTORY_HEAD_MISMATCH');
  });

  it('that transplants entries of another node is detected', async () => {
    const document = await new TestKeyHistory().signed();
    const { entries } = new TestKeyHistory({ nodeId: 'other' });
    expect(await refusalOf({ ...document, entries })).toBe('KEY_HISTORY_CHAIN_BROKEN');
  });
});

describe('an attack on the statement', () => {
  it.each<[string, Partial<KeySetStatement>, string]>([
    ['of another node', { nodeId: 'other' }, 'KEY_HISTORY_NODE_MISMATCH'],
    [
      'about an entry that is not there yet',
      { historyHead: { seq: 9, hash: `sha256:${'0'.repeat(64)}` } },
      'KEY_HISTORY_HEAD_MISMATCH',
    ],
    ['without any key', { keySet: { nodeId: 'test-node', activeKid: null, keys: [] } }, 'KEY_HISTORY_KEY_SET_MISMATCH'],
    ['promised for the past', { nextUpdate: '2020-01-01T00:00:00.000Z' }, 'KEY_HISTORY_INVALID'],
    ['older than its newest entry', { issuedAt: '2020-01-01T00:00:00.000Z' }, 'KEY_HISTORY_INVALID'],
  ])('%s is detected, even when the root signed it', async (_, members, code) => {
    expect(await refusalOf(await restated(await new TestKeyHistory().signed(), members))).toBe(code);
  });

  it('with an unknown key is detected, even when signed', async () => {
    const document = await new TestKeyHistory().signed();
    const further = makeKeySetStatement(new TestKeyHistory().add({ type: 'key-added', key: historyKeyOf(thief) }), {
      version: 1,
      issuedAt: '2026-02-01T00:00:00.000Z',
      nextUpdate: '2026-03-01T00:00:00.000Z',
    });
    expect(await refusalOf(await restated(document, { keySet: further.keySet }))).toBe('KEY_HISTORY_KEY_SET_MISMATCH');
  });

  it('with another key set member is detected', async () => {
    const document = await new TestKeyHistory().signed();
    const keySet = document.statement?.keySet;
    const key = keySet?.keys[0];
    if (keySet === undefined || key === undefined) throw new Error('the history of the test has no key');
    const variantsOf = (object: object): unknown[] => [
      { ...object, note: 1 },
      ...Object.keys(object).flatMap((name) => [
        Object.fromEntries(Object.entries(object).filter(([other]) => other !== name)),
        ...['other', null, [], { length: 1 }].map((value) => ({ ...object, [name]: value })),
      ]),
    ];
    const { activeKid, keys } = keySet;
    const variants = [
      ...[activeKid === null ? 'other' : null, key.kid.toUpperCase()].map((other) => ({ ...keySet, activeKid: other })),
      { ...keySet, keys: [...keys, key] },
      ...variantsOf(key).map((other) => ({ ...keySet, keys: [other, ...keys.slice(1)] })),
      ...variantsOf(key.publicKeyJwk).map((publicKeyJwk) => ({ ...keySet, keys: [{ ...key, publicKeyJwk }] })),
    ];
    expect(variants.length).toBeGreaterThan(50);
    for (const other of variants) {
      const forged = await restated(document, { keySet: other as KeySetStatement['keySet'] });
      expect([other, await refusalOf(forged)]).toEqual([other, 'KEY_HISTORY_KEY_SET_MISMATCH']);
    }
  });

  it('by one changed member breaks the signature', async () => {
    const document = await new TestKeyHistory().signed();
    for (const members of [{ version: 7 }, { nextUpdate: '2030-01-01T00:00:00.000Z' }]) {
      const forged = { ...document, statement: { ...document.statement, ...members } };
      expect(await refusalOf(forged)).toBe('KEY_HISTORY_SIGNATURE_INVALID');
    }
  });

  it('is refused unsigned or signed by another key', async () => {
    const document = await new TestKeyHistory().signed();
    for (const signer of [thief, testSigner(1)]) {
      expect(await refusalOf(await restated(document, {}, signer))).toBe('KEY_HISTORY_SIGNATURE_INVALID');
      const inTheNameOfTheRoot = await restated(document, {}, { ...signer, kid: root.kid });
      expect(await refusalOf(inTheNameOfTheRoot)).toBe('KEY_HISTORY_SIGNATURE_INVALID');
    }
    expect(await refusalOf({ ...document, signatures: [] })).toBe('KEY_HISTORY_SIGNATURE_INVALID');
    expect(await refusalOf({ ...document, signatures: [{ kid: root.kid, signature: 'AA==' }] })).toBe(
      'KEY_HISTORY_SIGNATURE_INVALID',
    );
    expect(await refusalOf({ ...document, statement: null, signatures: [] })).toBe('KEY_HISTORY_UNSIGNED');
  });

  it('of the pinned root for another node is refused', async () => {
    const other = await new TestKeyHistory({ nodeId: 'other' }).signed();
    expect(await refusalOf(other)).toBe('KEY_HISTORY_NODE_MISMATCH');
    expect(await refusalOf({ ...other, nodeId: 'test-node' })).toBe('KEY_HISTORY_CHAIN_BROKEN');
  });

  it('is refused without a pin', async () => {
    const document = await new TestKeyHistory().signed();
    expect(await refusalOf(document, { rootFingerprint: null })).toBe('KEY_HISTORY_ROOT_NOT_PINNED');
    expect(await refusalOf(document, { nodeId: null })).toBe('KEY_HISTORY_ROOT_NOT_PINNED');
  });
});

describe('against the highest version seen', () => {
  it('an older signed version is a rollback', async () => {
    const history = new TestKeyHistory();
    const old = await history.signed();
    history.add({
      type: 'key-revoked',
      kid: testSigner(1).kid,
      revokedAt: '2026-01-04T00:00:00.000Z',
      reason: 'keyCompromise',
    });
    const highestSeen = await seenIn(await history.signed());
    expect(await refusalOf(old, { highestSeen })).toBe('KEY_HISTORY_ROLLBACK');
    const { entries } = old;
    const statement = makeKeySetStatement(
      { nodeId: 'test-node', entries },
      { version: 3, issuedAt: '2026-02-01T00:00:00.000Z', nextUpdate: '2026-03-01T00:00:00.000Z' },
    );
    const signatures = [await signKeySetStatement(statement, root)];
    expect(await refusalOf({ ...old, statement, signatures }, { highestSeen })).toBe('KEY_HISTORY_ROLLBACK');
  });

  it('two histories of the same root are a fork', async () => {
    const one = new TestKeyHistory();
    const highestSeen = await seenIn(await one.signed());
    const other = new TestKeyHistory({ signer: thief });
    expect(await refusalOf(await other.signed(), { highestSeen })).toBe('KEY_HISTORY_FORK');
    other.add({ type: 'key-added', key: historyKeyOf(testSigner(3)) });
    expect(await refusalOf(await other.signed(), { highestSeen })).toBe('KEY_HISTORY_FORK');
  });

  it('one version with two heads is a fork', async () => {
    const history = new TestKeyHistory();
    const highestSeen = await seenIn(await history.signed());
    history.add({ type: 'key-added', key: historyKeyOf(testSigner(3)) });
    const again = await restated(await history.signed(), { version: 1, historyHead: keyHistoryHead(history) });
    expect(await refusalOf(again, { highestSeen })).toBe('KEY_HISTORY_FORK');
  });
});

describe('roots', () => {
  const next = testSigner('next root');
  const pinOf = (signer: Signer): { rootFingerprint: string } => ({
    rootFingerprint: keyFingerprint(signer.publicKey),
  });

  it('that the history does not know cannot be pinned', async () => {
    expect(await refusalOf(await new TestKeyHistory().signed(), pinOf(next))).toBe('KEY_HISTORY_ROOT_UNKNOWN');
  });

  it('endorsed by a trusted root may sign', async () => {
    const history = new TestKeyHistory();
    await history.addRoot({ type: 'root-replaced', kid: root.kid, root: rootKeyOf(next) }, root);
    const document = await history.signed(next);
    const result = await verifyKeyHistory(document, pin);
    expect(result).toMatchObject({ accepted: true, findings: [{ code: 'KEY_HISTORY_PIN_REPLACED' }] });
    expect(await refusalOf(document, pinOf(next))).toBe('accepted');
  });

  it('that were replaced may not sign', async () => {
    const history = new TestKeyHistory();
    await history.addRoot({ type: 'root-replaced', kid: root.kid, root: rootKeyOf(next) }, root);
    expect(await refusalOf(await history.signed(root))).toBe('KEY_HISTORY_SIGNATURE_INVALID');
  });

  it('without endorsement count only when pinned', async () => {
    const history = new TestKeyHistory().add({ type: 'root-added', root: rootKeyOf(thief) });
    const document = await history.signed(thief);
    expect(await refusalOf(document)).toBe('KEY_HISTORY_SIGNATURE_INVALID');
    expect(await refusalOf(document, pinOf(thief))).toBe('accepted');
  });

  it('with a forged endorsement do not count', async () => {
    const history = new TestKeyHistory();
    await history.addRoot({ type: 'root-added', root: rootKeyOf(thief) }, { ...thief, kid: root.kid });
    expect(await refusalOf(await history.signed(thief))).toBe('KEY_HISTORY_ENDORSEMENT_INVALID');
  });

  it('with a statement signature as endorsement do not count', async () => {
    const history = new TestKeyHistory();
    const signature = (await history.signed()).signatures[0]?.signature ?? encodeBase64Url(new Uint8Array(64));
    history.add({ type: 'root-added', root: rootKeyOf(thief), endorsement: { kid: root.kid, signature } });
    expect(await refusalOf(await history.signed(thief))).toBe('KEY_HISTORY_ENDORSEMENT_INVALID');
  });

  it('that were revoked lose their endorsements too', async () => {
    const history = new TestKeyHistory();
    await history.addRoot({ type: 'root-added', root: rootKeyOf(next) }, root);
    await history.addRoot({ type: 'root-added', root: rootKeyOf(thief) }, next);
    history.add({ type: 'root-revoked', kid: next.kid, reason: 'keyCompromise' });
    const byThief = await history.signed(thief);
    expect(await refusalOf(byThief)).toBe('KEY_HISTORY_SIGNATURE_INVALID');
    expect(await refusalOf(byThief, pinOf(next))).toBe('KEY_HISTORY_ROOT_REVOKED');
    expect(await refusalOf(await history.signed(next))).toBe('KEY_HISTORY_SIGNATURE_INVALID');
    expect(await refusalOf(await history.signed(root))).toBe('accepted');
  });
});

describe('a document of the wrong form', () => {
  it.each<[string, unknown]>([
    ['null', null],
    ['text', 'svc.key-history.v1'],
    ['a key set', { nodeId: 'test-node', activeKid: null, keys: [] }],
    ['nothing in it', {}],
  ])('is refused: %s', async (_, value) => {
    expect(await refusalOf(value)).toBe('KEY_HISTORY_INVALID');
  });

  it('is refused when nested too deep', async () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    const document = await new TestKeyHistory().signed();
    const statement = { ...document.statement, keySet: { nodeId: 'test-node', keys: [deep] } };
    expect(await refusalOf({ ...document, statement })).toBe('KEY_HISTORY_INVALID');
  });

  it('is refused for an extra member at any level', async () => {
    const document = await new TestKeyHistory().signed();
    const [first, ...others] = document.entries;
    for (const odd of [
      { ...document, note: 1 },
      { ...document, entries: [{ ...first, note: 1 }, ...others] },
      { ...document, entries: [{ ...first, change: { ...first?.change, note: 1 } }, ...others] },
      { ...document, statement: { ...document.statement, note: 1 } },
      { ...document, signatures: [{ ...document.signatures[0], note: 1 }] },
    ]) {
      expect(await refusalOf(odd)).toBe('KEY_HISTORY_INVALID');
    }
    const set = { ...document.statement?.keySet, note: 1 };
    expect(await refusalOf({ ...document, statement: { ...document.statement, keySet: set } })).toBe(
      'KEY_HISTORY_KEY_SET_MISMATCH',
    );
  });
});
