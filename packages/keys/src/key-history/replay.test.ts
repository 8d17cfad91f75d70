import { describe, expect, it } from '@jest/globals';
import { KeyError } from '../key-error.js';
import { toSpkiBase64 } from '../public-key.js';
import { testSigner } from '../testing/index.js';
import type { HistoryKey, KeyChange, RootKey } from './change.js';
import { parseKeyHistory, parseKeyHistoryEntry, type KeyHistoryEntry } from './document.js';
import { replayKeyHistory, type ReplayedHistory } from './replay.js';

const day = (of: number): string => new Date(Date.UTC(2026, 0, of)).toISOString();

function keyOf(seed: string, notBefore = day(1)): HistoryKey {
  const { kid, publicKey } = testSigner(seed);
  return { kid, algorithm: 'Ed25519', publicKey: toSpkiBase64(publicKey), createdAt: day(1), notBefore };
}

function rootOf(seed: string): RootKey {
  const { kid, publicKey } = testSigner(seed);
  return { kid, publicKey: toSpkiBase64(publicKey) };
}

/** One entry per day from the tenth on; the hash chain is not verified here. */
function entriesOf(changes: readonly KeyChange[]): KeyHistoryEntry[] {
  return changes.map((change, at) => ({
    seq: at + 1,
    prevHash: `sha256:${'0'.repeat(64)}`,
    issuedAt: day(10 + at),
    change,
  }));
}

const replay = (...changes: readonly KeyChange[]): ReplayedHistory => replayKeyHistory('n', entriesOf(changes));

function refusalOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof KeyError && error.code === 'KEY_HISTORY_INVALID') return error.message;
    throw error;
  }
  return 'accepted';
}

const [a, b] = [keyOf('a'), keyOf('b')];
const [root, other] = [rootOf('root'), rootOf('other')];
const addA: KeyChange = { type: 'key-added', key: a };
const addB: KeyChange = { type: 'key-added', key: b };
const useA: KeyChange = { type: 'key-activated', kid: a.kid };
const retireA: KeyChange = { type: 'key-retired', kid: a.kid, retiredAt: day(5) };
const addRoot: KeyChange = { type: 'root-added', root };

function revokeA(members: Partial<Extract<KeyChange, { type: 'key-revoked' }>> = {}): KeyChange {
  return { type: 'key-revoked', kid: a.kid, revokedAt: day(8), reason: 'unspecified', ...members };
}

describe('the result of a list of changes', () => {
  it('is empty for an empty list', () => {
    expect(replay().keySet).toEqual({ nodeId: 'n', activeKid: null, keys: [] });
  });

  it('lists keys in order and names the active one', () => {
    const { keySet } = replay(addB, addA, useA);
    expect(keySet.keys.map(({ kid }) => kid)).toEqual([b.kid, a.kid]);
    expect(keySet.activeKid).toBe(a.kid);
  });

  it('takes reads in proportion to the number of changes', () => {
    const readsOf = (count: number): number => {
      let reads = 0;
      const counted = <T extends object>(object: T): T =>
        new Proxy(object, {
          get: (target, name, receiver) => {
            reads += 1;
            const value: unknown = Reflect.get(target, name, receiver);
            return typeof value === 'object' && value !== null ? counted(value) : value;
          },
        });
      const useB: KeyChange = { type: 'key-activated', kid: b.kid };
      const uses = Array.from({ length: count }, (_, at) => (at % 2 === 0 ? useA : useB));
      replayKeyHistory('n', counted(entriesOf([addA, addB, ...uses])));
      return reads;
    };
    expect(readsOf(400) - readsOf(200)).toBeLessThanOrEqual(readsOf(200));
    expect(readsOf(200)).toBeGreaterThan(200);
  });

  it('rotates keys and keeps the lifetime of the retired one', () => {
    const { keySet } = replay(addA, useA, addB, { type: 'key-activated', kid: b.kid }, retireA);
    expect(keySet.activeKid).toBe(b.kid);
    expect(keySet.keys[0]).toMatchObject({ kid: a.kid, status: 'retired', retiredAt: day(5) });
  });

  it.each([
    ['retired', retireA],
    ['revoked', revokeA()],
  ])('has no active key once that is %s', (status, end) => {
    const { keySet } = replay(addA, useA, end);
    expect(keySet.activeKid).toBeNull();
    expect(keySet.keys).toMatchObject([{ status }]);
  });

  it('keeps the retirement time of a revoked key', () => {
    const { keySet } = replay(addA, retireA, revokeA({ reason: 'keyCompromise', compromisedSince: day(3) }));
    expect(keySet.keys[0]).toMatchObject({
      status: 'revoked',
      retiredAt: day(5),
      revokedAt: day(8),
      compromisedSince: day(3),
      revocationReason: 'keyCompromise',
    });
  });

  it('covers the entries up to a head and checks the others', () => {
    const entries = entriesOf([
      addRoot,
      addA,
      useA,
      addB,
      { type: 'root-revoked', kid: root.kid, reason: 'unspecified' },
    ]);
    for (let head = 0; head <= entries.length; head++) {
      expect(replayKeyHistory('n', entries, head)).toEqual(replayKeyHistory('n', entries.slice(0, head)));
    }
    expect(refusalOf(() => replayKeyHistory('n', entriesOf([addA, useA, useA]), 1))).toMatch(
      /^key history: entries\[2\]/,
    );
  });

  it('reports the status of each root', () => {
    const { roots } = replay(
      addRoot,
      { type: 'root-replaced', kid: root.kid, root: other, endorsement: { kid: root.kid, signature: 'unchecked' } },
      { type: 'root-revoked', kid: other.kid, reason: 'keyCompromise', compromisedSince: day(11) },
    );
    expect([...roots.values()]).toMatchObject([
      { kid: root.kid, status: 'replaced', replacedBy: other.kid, addedAt: day(10), endorsedBy: null },
      { kid: other.kid, status: 'revoked', endedAt: day(12), endorsedBy: root.kid, compromisedSince: day(11) },
    ]);
  });
});

describe('a second revocation', () => {
  const compromised = { reason: 'keyCompromise' } as const;

  it.each([
    ['from its end to an earlier day', {}, { compromisedSince: day(6) }],
    ['to a still earlier day', { compromisedSince: day(6) }, { compromisedSince: day(5) }],
    ['to no time at all', { compromisedSince: day(6) }, compromised],
  ])('may trust the key for less time: %s', (_, first, second) => {
    expect(refusalOf(() => replay(addA, revokeA(first), revokeA(second)))).toBe('accepted');
  });

  it.each([
    ['the same', {}, {}],
    ['a later day', { compromisedSince: day(5) }, { compromisedSince: day(6) }],
    ['a day after none', compromised, { compromisedSince: day(1) }],
    ['none after none', compromised, compromised],
  ])('may not keep or extend trust: %s', (_, first, second) => {
    expect(refusalOf(() => replay(addA, revokeA(first), revokeA(second)))).toContain('for less time');
  });

  it('may not change the first revocation date', () => {
    const moved = revokeA({ revokedAt: day(7), compromisedSince: day(2) });
    expect(refusalOf(() => replay(addA, revokeA(), moved))).toContain('revokedAt must be that of the first');
  });
});

describe('an impossible change', () => {
  const endorsed = { type: 'root-added', root: other, endorsement: { kid: root.kid, signature: 's' } } as const;
  const revokeRoot: KeyChange = { type: 'root-revoked', kid: root.kid, reason: 'unspecified' };

  it.each<[string, readonly KeyChange[], string]>([
    ['a key twice', [addA, addA], 'key.kid is known already'],
    ['one key under two names', [addA, { type: 'key-added', key: { ...a, kid: 'x' } }], 'names already'],
    ['a root that is a signing key', [addA, { type: 'root-added', root: rootOf('a') }], 'names already'],
    ['a signing key that is a root', [addRoot, { type: 'key-added', key: keyOf('root') }], 'names already'],
    ['the use of an unknown key', [useA], 'was never added'],
    ['the use of a retired key', [addA, retireA, useA], 'was retired or revoked'],
    ['the use of a revoked key', [addA, revokeA(), useA], 'was retired or revoked'],
    ['the use of the key in use', [addA, useA, useA], 'is active already'],
    ['a second retirement', [addA, retireA, retireA], 'was retired or revoked'],
    ['the retirement of a revoked key', [addA, revokeA(), retireA], 'was retired or revoked'],
    ['the revocation of an unknown key', [revokeA()], 'was never added'],
    ['retirement before the key began', [{ type: 'key-added', key: keyOf('a', day(6)) }, retireA], 'after retiredAt'],
    ['retirement in the future', [addA, { ...retireA, retiredAt: day(12) }], 'must not be after issuedAt'],
    ['revocation in the future', [addA, revokeA({ revokedAt: day(12) })], 'must not be after issuedAt'],
    ['compromise after the revocation', [addA, revokeA({ compromisedSince: day(9) })], 'must not be after revokedAt'],
    ['the replacement of an unknown root', [{ type: 'root-replaced', kid: 'x', root }], 'was never added'],
    ['the revocation of an unknown root', [revokeRoot], 'was never added'],
    ['a second revocation of a root', [addRoot, revokeRoot, revokeRoot], 'was revoked'],
    [
      'the replacement of a revoked root',
      [addRoot, revokeRoot, { type: 'root-replaced', kid: root.kid, root: other }],
      'was replaced or revoked',
    ],
    ['an endorsement by an unknown root', [endorsed], 'must name a root that counts'],
    ['an endorsement by a revoked root', [addRoot, revokeRoot, endorsed], 'must name a root that counts'],
  ])('is rejected: %s', (_, changes, rule) => {
    expect(refusalOf(() => replay(...changes))).toContain(rule);
  });

  it('is rejected at the time of its entry', () => {
    expect(refusalOf(() => replay(addA, revokeA({ revokedAt: day(11) })))).toBe('accepted');
  });

  it('is rejected when entries go back in time', () => {
    const [first, second] = entriesOf([addA, addB]);
    const back = [first, { ...second, issuedAt: day(9) }] as KeyHistoryEntry[];
    expect(refusalOf(() => replayKeyHistory('n', back))).toContain('entries[1].issuedAt');
  });

  it('names the member and never its value', () => {
    const refusal = refusalOf(() => replay({ type: 'key-activated', kid: 'some-secret-looking-name' }));
    expect(refusal).toContain('entries[0].change.kid');
    expect(refusal).not.toContain('secret');
  });
});

describe('the form of a key history', () => {
  const [entry] = entriesOf([addA]);
  const document = { type: 'svc.key-history.v1', nodeId: 'n', entries: [entry], statement: null, signatures: [] };

  it('survives a round trip', () => {
    expect(parseKeyHistory(JSON.parse(JSON.stringify(document)))).toEqual(document);
  });

  it.each<[string, unknown, string]>([
    ['an array', [], 'must be an object'],
    ['another type', { ...document, type: 'svc.key-history.v2' }, 'document.type'],
    ['an unknown member', { ...document, more: 1 }, 'must have no members but'],
    ['a missing member', { type: document.type, nodeId: 'n', entries: [], statement: null }, 'signatures is required'],
    ['an empty node id', { ...document, nodeId: '' }, 'document.nodeId'],
    ['a node id with a line break', { ...document, nodeId: 'a\nb' }, 'without control characters'],
    ['a node id with a lone surrogate', { ...document, nodeId: '\ud800' }, 'well-formed'],
    ['more signatures than 16', { ...document, signatures: Array.from({ length: 17 }, () => ({})) }, 'at most 16'],
  ])('rejects %s', (_, value, rule) => {
    expect(refusalOf(() => parseKeyHistory(value))).toContain(rule);
  });

  it.each<[string, object, string]>([
    ['a sequence number of 0', { seq: 0 }, 'integer from 1'],
    ['a fractional sequence number', { seq: 1.5 }, 'integer from 1'],
    ['an upper-case hash', { prevHash: `sha256:${'A'.repeat(64)}` }, 'lower-case'],
    ['a time in another spelling', { issuedAt: '2026-01-01T00:00:00Z' }, 'with milliseconds'],
    ['a day that does not exist', { issuedAt: '2026-02-30T00:00:00.000Z' }, 'with milliseconds'],
    ['an unknown change', { change: { type: 'key-unrevoked', kid: 'a' } }, 'this version knows'],
    ['a change with more members', { change: { ...useA, reason: 'x' } }, 'must have no members but'],
    ['an unknown reason', { change: { ...revokeA(), reason: 'lost' } }, 'must be one of'],
    ['another algorithm', { change: { type: 'key-added', key: { ...a, algorithm: 'RSA' } } }, 'must be "Ed25519"'],
    [
      'a raw key',
      {
        change: {
          type: 'key-added',
          key: { ...a, publicKey: Buffer.from(testSigner('a').publicKey.raw).toString('base64') },
        },
      },
      'SPKI DER',
    ],
    ['a root with another kid', { change: { type: 'root-added', root: { ...root, kid: 'x' } } }, 'thumbprint'],
  ])('rejects an entry with %s', (_, members, rule) => {
    expect(refusalOf(() => parseKeyHistoryEntry({ ...entry, ...members }, 0))).toContain(rule);
  });
});
