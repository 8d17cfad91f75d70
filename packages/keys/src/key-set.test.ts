import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { nonCanonicalY, smallOrderEncodings } from '../test/curve.js';
import { encodeBase64, encodeBase64Url } from './base64.js';
import { toJwk } from './jwk.js';
import type { KeyEntry } from './key-entry.js';
import { parseKeySet } from './key-set.js';
import { formatKeySet } from './key-set-document.js';
import { toSpkiBase64 } from './public-key.js';
import { testKeySet, testSigner } from './testing/index.js';

const signer = testSigner('key set');
const other = testSigner('other');
const bare = { kid: 'a', algorithm: 'Ed25519', publicKey: toSpkiBase64(signer.publicKey) };

/** The parsed entry of kid `a` in a set of these entries. */
function entryOf(...keys: unknown[]): KeyEntry | undefined {
  return parseKeySet({ nodeId: 'n', keys }).entries.get('a');
}

describe('the key set document', () => {
  it('reads a published document', () => {
    const life = { status: 'revoked', revokedAt: '2026-02-01T00:00:00Z', revocationReason: 'superseded' } as const;
    const set = parseKeySet(testKeySet({ nodeId: 'node-1', signers: [{ signer }, { signer: other, ...life }] }));
    expect(set).toMatchObject({ nodeId: 'node-1', activeKid: signer.kid });
    expect([...set.entries.keys()]).toEqual([signer.kid, other.kid]);
    expect(set.entries.get(signer.kid)).toEqual({
      kid: signer.kid,
      status: 'active',
      key: { usable: true, publicKey: signer.publicKey },
      createdAt: '2020-01-01T00:00:00.000Z',
      notBefore: '2020-01-01T00:00:00.000Z',
    });
    expect(set.entries.get(other.kid)).toMatchObject({ ...life, key: { usable: true } });
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['a text', '{}'],
    ['an array', []],
    ['without nodeId', { keys: [] }],
    ['with a nodeId that is not a string', { nodeId: 1, keys: [] }],
    ['without keys', { nodeId: 'n' }],
    ['with keys that are not an array', { nodeId: 'n', keys: { a: bare } }],
    ['whose members are inherited', Object.create({ nodeId: 'n', keys: [] })],
  ])('is rejected when it is %s', (_, value) => {
    expect(() => parseKeySet(value)).toThrow(expect.objectContaining({ name: 'KeyError', code: 'KEY_SET_INVALID' }));
  });

  it('may lack keys and name an unknown activeKid', () => {
    expect(parseKeySet({ nodeId: '', keys: [] })).toEqual({ nodeId: '', activeKid: null, entries: new Map() });
    expect(parseKeySet({ nodeId: 'n', keys: [], activeKid: 5 }).activeKid).toBeNull();
  });

  it('never throws for any entries', () => {
    const member = fc.constantFrom(
      'kid',
      'algorithm',
      'publicKey',
      'publicKeyJwk',
      'status',
      'notBefore',
      'revokedAt',
      '__proto__',
    );
    const value = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom('a', 'Ed25519', bare.publicKey, 'active', toJwk(other.publicKey)),
    );
    const entry = fc.oneof(fc.jsonValue(), fc.dictionary(member, value));
    fc.assert(
      fc.property(fc.array(entry), (keys) => {
        expect(parseKeySet({ nodeId: 'n', keys }).entries).toBeInstanceOf(Map);
      }),
    );
  });
});

describe('a key set entry', () => {
  it('requires only kid, algorithm and publicKey', () => {
    expect(entryOf(bare)).toEqual({ kid: 'a', status: 'active', key: { usable: true, publicKey: signer.publicKey } });
  });

  it('may hold the raw 32 bytes in base64url', () => {
    expect(entryOf({ ...bare, publicKey: toJwk(signer.publicKey).x })?.key).toEqual({
      usable: true,
      publicKey: signer.publicKey,
    });
  });

  it.each<[string, object]>([
    ['publicKey of another encoding', { publicKey: '***', publicKeyJwk: toJwk(signer.publicKey) }],
    ['publicKey at all', { publicKey: undefined, publicKeyJwk: toJwk(signer.publicKey) }],
    ['publicKeyJwk but null', { publicKeyJwk: null }],
    ['publicKeyJwk but text', { publicKeyJwk: 'ed25519' }],
    ['publicKeyJwk but one of another type', { publicKeyJwk: { kty: 'EC' } }],
    ['publicKeyJwk but one of another curve', { publicKeyJwk: { ...toJwk(signer.publicKey), crv: 'X25519' } }],
    ['x', { publicKeyJwk: { kty: 'OKP', crv: 'Ed25519' } }],
    ['x but a short one', { publicKeyJwk: { kty: 'OKP', crv: 'Ed25519', x: 'AAAA' } }],
    ['x but one with padding', { publicKeyJwk: { ...toJwk(signer.publicKey), x: `${toJwk(signer.publicKey).x}=` } }],
  ])('is usable by its other form with no readable %s', (_, members) => {
    expect(entryOf({ ...bare, ...members })?.key).toEqual({ usable: true, publicKey: signer.publicKey });
  });

  it('may hold the raw 32 bytes', () => {
    expect(entryOf({ ...bare, publicKey: encodeBase64(signer.publicKey.raw) })?.key).toEqual({
      usable: true,
      publicKey: signer.publicKey,
    });
  });

  it.each(['__proto__', 'constructor', 'toString', '', ' ', 'ключ', '\ud800', 'x'.repeat(10_000)])(
    'accepts any text as kid: %j',
    (kid) => {
      const set = parseKeySet({ nodeId: 'n', keys: [{ ...bare, kid }] });
      expect([...set.entries.keys()]).toEqual([kid]);
      expect(set.entries.get(kid)?.key.usable).toBe(true);
    },
  );

  it('is not found by names of the prototype', () => {
    const { entries } = parseKeySet({ nodeId: 'n', keys: [bare] });
    expect(entries.get('__proto__')).toBeUndefined();
    expect(entries.get('constructor')).toBeUndefined();
  });

  it('is omitted without a kid', () => {
    for (const key of [null, 'a', 5, [bare], {}, { ...bare, kid: 5 }, { ...bare, kid: null }]) {
      expect(parseKeySet({ nodeId: 'n', keys: [key] }).entries.size).toBe(0);
    }
  });

  it('takes null for an absent member', () => {
    const nulls = {
      status: null,
      createdAt: null,
      notBefore: null,
      retiredAt: null,
      revokedAt: null,
      compromisedSince: null,
      revocationReason: null,
    };
    expect(entryOf({ ...bare, ...nulls })).toEqual(entryOf(bare));
  });

  it.each(['active', 'retired', 'revoked'])('keeps the status %s', (status) => {
    expect(entryOf({ ...bare, status })).toMatchObject({ status, key: { usable: true } });
  });

  it.each([
    { revokedAt: '2026-01-01T00:00:00Z' },
    { compromisedSince: '2026-01-01T00:00:00Z' },
    { revocationReason: 'keyCompromise' },
  ])('counts as revoked with %j for any status', (member) => {
    for (const status of [undefined, 'active', 'retired', 'revoked', 'unheard']) {
      expect(entryOf({ ...bare, ...member, ...(status !== undefined && { status }) })).toMatchObject({
        status: 'revoked',
        ...member,
      });
    }
  });

  it('keeps contextUnprotectedBefore', () => {
    const contextUnprotectedBefore = '2024-01-01T00:00:00Z';
    expect(entryOf({ ...bare, contextUnprotectedBefore })).toMatchObject({
      contextUnprotectedBefore,
      key: { usable: true },
    });
  });
});

describe('an unusable key', () => {
  const reasonOf = (...keys: unknown[]): string | undefined => {
    const key = entryOf(...keys)?.key;
    return key?.usable === false ? key.reason : undefined;
  };

  it('is one whose kid appears more than once', () => {
    const reason = 'kid: appears more than once in the key set';
    expect(reasonOf(bare, bare)).toBe(reason);
    expect(reasonOf(bare, { ...bare, publicKey: toSpkiBase64(other.publicKey) }, bare)).toBe(reason);
    expect(reasonOf(bare, { kid: 'a' })).toBe(reason);
  });

  it('does not affect other entries', () => {
    const set = parseKeySet({ nodeId: 'n', keys: [bare, bare, { ...bare, kid: 'b' }, { kid: 'c' }] });
    expect([...set.entries.values()].map(({ kid, key }) => [kid, key.usable])).toEqual([
      ['a', false],
      ['b', true],
      ['c', false],
    ]);
  });

  it.each<[string, object, string]>([
    ['another algorithm', { algorithm: 'ES256' }, 'algorithm: must be "Ed25519"'],
    ['the algorithm in another spelling', { algorithm: 'ed25519' }, 'algorithm: must be "Ed25519"'],
    ['no algorithm', { algorithm: undefined }, 'algorithm: must be "Ed25519"'],
    ['no publicKey', { publicKey: undefined }, 'publicKey: must be a string'],
    ['a publicKey that is not a string', { publicKey: [bare.publicKey] }, 'publicKey: must be a string'],
    ['an empty publicKey', { publicKey: '' }, 'public key: neither SPKI DER nor 32 raw bytes by its length'],
    ['white space in its base64', { publicKey: `${bare.publicKey} ` }, 'base64: the length must be a multiple of 4'],
    ['an unknown status', { status: 'suspended' }, 'status: must be "active", "retired" or "revoked"'],
    ['a status in another spelling', { status: 'Active' }, 'status: must be "active", "retired" or "revoked"'],
    ['a createdAt without zone', { createdAt: '2026-01-01T00:00:00' }, 'createdAt: not a timestamp'],
    ['a notBefore of no real date', { notBefore: '2026-02-29T00:00:00Z' }, 'notBefore: not a timestamp'],
    ['a retiredAt in seconds', { retiredAt: 1767225600 }, 'retiredAt: not a timestamp'],
    ['an empty revokedAt', { revokedAt: '' }, 'revokedAt: not a timestamp'],
    ['a compromisedSince that is an object', { compromisedSince: {} }, 'compromisedSince: not a timestamp'],
    [
      'a contextUnprotectedBefore of a day',
      { contextUnprotectedBefore: '2026-01-01' },
      'contextUnprotectedBefore: not a timestamp',
    ],
    ['a reason that is not a string', { revocationReason: 1 }, 'revocationReason: must be a string'],
    ['a publicKeyJwk of another key', { publicKeyJwk: toJwk(other.publicKey) }, 'publicKey: differs from publicKeyJwk'],
    ['a publicKeyJwk for encryption', { publicKeyJwk: { kty: 'EC', use: 'enc' } }, 'publicKeyJwk: use must be "sig"'],
  ])('is one with %s', (_, members, reason) => {
    expect(reasonOf({ ...bare, ...members })).toBe(reason);
  });

  it('is revoked even when its revokedAt is invalid', () => {
    expect(entryOf({ ...bare, revokedAt: 'yesterday' })).toMatchObject({ status: 'revoked', key: { usable: false } });
  });

  it('is not active when its status is unknown', () => {
    expect(entryOf({ ...bare, status: 'suspended' })?.status).toBe('retired');
  });

  it('is of small order or non-canonical in any form', () => {
    for (const raw of [...smallOrderEncodings(), ...nonCanonicalY()]) {
      const jwk = { kty: 'OKP', crv: 'Ed25519', x: encodeBase64Url(raw) };
      for (const members of [
        { publicKey: encodeBase64(raw) },
        { publicKey: toSpkiBase64({ raw }) },
        { publicKeyJwk: jwk },
      ]) {
        expect(reasonOf({ ...bare, ...members })).toBe(
          'public key: a point of small order or in a non-canonical encoding',
        );
      }
    }
  });
});

describe('formatKeySet', () => {
  const life = {
    status: 'active',
    createdAt: '2026-01-01T00:00:00.000Z',
    notBefore: '2026-01-01T00:01:00.000Z',
  } as const;
  const key = { kid: signer.kid, publicKey: signer.publicKey, ...life };

  it('writes only the published members', () => {
    const secretive = { ...key, privateKey: 'secret' };
    expect(formatKeySet({ nodeId: 'n', activeKid: signer.kid, keys: [secretive] })).toEqual({
      nodeId: 'n',
      activeKid: signer.kid,
      keys: [
        {
          kid: signer.kid,
          algorithm: 'Ed25519',
          publicKey: toSpkiBase64(signer.publicKey),
          publicKeyJwk: toJwk(signer.publicKey),
          ...life,
        },
      ],
    });
  });

  it('round-trips every end of a key’s lifetime', () => {
    const ended = {
      ...key,
      status: 'revoked',
      retiredAt: '2026-02-01T00:00:00.000Z',
      revokedAt: '2026-03-01T00:00:00.000Z',
      compromisedSince: '2026-02-15T00:00:00.000Z',
      revocationReason: 'keyCompromise',
      contextUnprotectedBefore: '2025-01-01T00:00:00.000Z',
    } as const;
    const document: unknown = JSON.parse(JSON.stringify(formatKeySet({ nodeId: 'n', activeKid: null, keys: [ended] })));
    const { publicKey, ...rest } = ended;
    expect(parseKeySet(document).entries.get(signer.kid)).toEqual({ ...rest, key: { usable: true, publicKey } });
  });

  it('rejects a duplicate kid and an invalid activeKid', () => {
    const refused = expect.objectContaining({ code: 'KEY_SET_INVALID' });
    expect(() => formatKeySet({ nodeId: 'n', activeKid: null, keys: [key, key] })).toThrow(refused);
    expect(() => formatKeySet({ nodeId: 'n', activeKid: 'unknown', keys: [key] })).toThrow(refused);
    expect(() => formatKeySet({ nodeId: 'n', activeKid: key.kid, keys: [{ ...key, status: 'retired' }] })).toThrow(
      refused,
    );
  });
});
