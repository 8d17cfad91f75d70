import {
  ACTIVE,
  at,
  attest,
  change,
  keySet,
  keySetWith,
  NODE_ID,
  OTHER,
  seal,
  TIME,
  v1,
  type Json,
  type JsonObject,
} from '../forge.js';
import { testSigner } from '@cer/keys/testing';
import { fails, group, passes, type CaseLine, type Vector } from '../vector.js';

const RECEIPT = 'meta.attestation.receipt';
/** A millisecond before and after the time of every receipt here. */
const BEFORE = '2026-01-02T03:04:05.677Z';
const AFTER = '2026-01-02T03:04:05.679Z';
const SAME_MOMENT = '2026-01-02T05:04:05.678000000+02:00';
const RAW = Buffer.from(ACTIVE.publicKey.raw).toString('base64');
const RAW_URL = Buffer.from(ACTIVE.publicKey.raw).toString('base64url');
/** A point of order 4: one such key "signs" anything. */
const SMALL_ORDER = Buffer.alloc(32).toString('base64');
/** p + 1 little-endian: a second spelling of the y-coordinate 1. */
const NON_CANONICAL = Buffer.from(`ee${'ff'.repeat(30)}7f`, 'hex').toString('base64');

type Members = Readonly<Record<string, Json | undefined>>;

export async function keyCases(): Promise<Vector[]> {
  const bundle = await attest(seal(v1()), { envelope: false });
  const attestedAt = (timestamp: string): Promise<JsonObject> => attest(seal(v1()), { envelope: false, timestamp });
  const named = testSigner('vectors named', { kid: 'key of 2019' });
  const byNamed = await attest(seal(v1()), { envelope: false, signer: named });
  const good = (name: string, rule: string, members: Members): CaseLine => [
    name,
    rule,
    bundle,
    passes('PPPS'),
    { keySet: keySetWith(members) },
  ];
  const bad = (name: string, rule: string, code: string, members: Members | JsonObject, isWhole = false): CaseLine => [
    name,
    rule,
    bundle,
    fails(code, RECEIPT, 'PFPS'),
    { keySet: isWhole ? (members as JsonObject) : keySetWith(members) },
  ];
  const UNUSABLE =
    'Small-order and non-canonical points, a duplicate kid, a publicKey that differs from its JWK: that key is unusable.';
  const FORMS = 'publicKey is base64 of the SPKI DER or of 32 raw bytes, or base64url without padding of 32 raw bytes.';
  const BESIDE = 'Of publicKey and publicKeyJwk, the readable one counts where the other cannot be read.';
  const LIFE = 'The receipt is dated inside the key’s life (notBefore to retiredAt); ends are inclusive.';
  const UNKNOWN = 'ATTESTATION_KEY_NOT_FOUND is a key set lacking the kid, or a date outside the key’s life.';
  return group('keys', 'Key choice', keySet(), [
    good('retired', 'Retired, not revoked: still verifies.', { status: 'retired', retiredAt: AFTER }),
    good('retired-at-that-moment', LIFE, { status: 'retired', retiredAt: SAME_MOMENT }),
    good('retired-at-that-moment-behind-utc', LIFE, { status: 'retired', retiredAt: '2026-01-01T22:04:05.678-05:00' }),
    good('retired-at-that-moment-by-minutes', LIFE, { status: 'retired', retiredAt: '2026-01-02T08:34:05.678+05:30' }),
    good('begins-at-that-moment-by-minutes', LIFE, { notBefore: '2026-01-02T08:34:05.678+05:30' }),
    [
      'begins-at-that-moment-over-the-end-of-february',
      LIFE,
      await attestedAt('2026-02-28T23:30:00.000Z'),
      passes('PPPS'),
      { keySet: keySetWith({ notBefore: '2026-03-01T00:30:00+01:00' }) },
    ],
    [
      'retired-at-that-moment-over-the-end-of-february',
      LIFE,
      await attestedAt('2026-02-28T23:30:00.000Z'),
      passes('PPPS'),
      { keySet: keySetWith({ status: 'retired', retiredAt: '2026-03-01T00:30:00+01:00' }) },
    ],
    [
      'begins-at-that-moment-over-the-end-of-a-century',
      LIFE,
      await attestedAt('2000-12-31T23:30:00.000Z'),
      passes('PPPS'),
      { keySet: keySetWith({ createdAt: null, notBefore: '2001-01-01T00:30:00+01:00' }) },
    ],
    [
      'retired-at-that-moment-over-the-end-of-a-century',
      LIFE,
      await attestedAt('2000-12-31T23:30:00.000Z'),
      passes('PPPS'),
      { keySet: keySetWith({ notBefore: null, status: 'retired', retiredAt: '2001-01-01T00:30:00+01:00' }) },
    ],
    good('begins-at-that-moment-behind-utc', LIFE, { notBefore: '2026-01-01T22:04:05.678-05:00' }),
    [
      'retired-after-a-leap-day',
      LIFE,
      await attestedAt('2024-02-29T12:00:00.000Z'),
      passes('PPPS'),
      { keySet: keySetWith({ status: 'retired', retiredAt: '2024-03-01T00:00:00Z' }) },
    ],
    [
      'retired-in-april',
      LIFE,
      await attestedAt('2026-03-31T12:00:00.000Z'),
      passes('PPPS'),
      { keySet: keySetWith({ status: 'retired', retiredAt: '2026-04-01T00:00:00Z' }) },
    ],
    [
      'begins-in-the-year-after',
      UNKNOWN,
      await attestedAt('2024-12-31T12:00:00.000Z'),
      fails('ATTESTATION_KEY_NOT_FOUND', RECEIPT, 'PFPS'),
      { keySet: keySetWith({ notBefore: '2025-01-01T00:00:00Z' }) },
    ],
    good('begins-at-that-moment', LIFE, { notBefore: SAME_MOMENT }),
    bad('retired-before', UNKNOWN, 'ATTESTATION_KEY_NOT_FOUND', { status: 'retired', retiredAt: BEFORE }),
    bad('not-yet', UNKNOWN, 'ATTESTATION_KEY_NOT_FOUND', { notBefore: AFTER }),
    good('status-and-not-before-absent', 'Missing status is active, missing notBefore no lower bound.', {
      status: undefined,
      notBefore: undefined,
      createdAt: undefined,
      publicKeyJwk: undefined,
    }),
    good('active-kid-of-another', 'activeKid is never consulted.', {}),
    [
      'active-kid-lies',
      'activeKid is never consulted.',
      bundle,
      passes('PPPS'),
      { keySet: keySet([{ signer: ACTIVE }], { activeKid: 'another' }) },
    ],
    good('raw-32-bytes', 'Raw 32-byte keys are read too, recognized by length.', { publicKey: RAW }),
    [
      'kid-is-any-string',
      'Any string is read as kid in the sets of other nodes.',
      byNamed,
      passes('PPPS'),
      { keySet: keySet([{ signer: named }]) },
    ],
    [
      'kid-unknown',
      UNKNOWN,
      await attest(seal(v1()), { envelope: false, signer: OTHER }),
      fails('ATTESTATION_KEY_NOT_FOUND', RECEIPT, 'PFPS'),
    ],
    [
      'no-fallback-to-another-key',
      'No fallback to another key.',
      change(bundle, `${RECEIPT}.kid`, OTHER.kid),
      fails('ATTESTATION_INVALID_SIGNATURE', 'meta.attestation.signature', 'PFFS'),
      { keySet: keySet([{ signer: ACTIVE }, { signer: OTHER }]) },
    ],
    [
      'kid-is-an-inherited-name',
      UNKNOWN,
      change(bundle, `${RECEIPT}.kid`, 'constructor'),
      fails('ATTESTATION_KEY_NOT_FOUND', RECEIPT, 'PFFS'),
    ],
    [
      'no-keys-in-the-set',
      UNKNOWN,
      bundle,
      fails('ATTESTATION_KEY_NOT_FOUND', RECEIPT, 'PFPS'),
      { keySet: { nodeId: NODE_ID, activeKid: null, keys: [] } },
    ],
    [
      'no-key-set',
      'No key set given for a signed bundle: VERIFICATION_MATERIAL_UNAVAILABLE.',
      bundle,
      fails('VERIFICATION_MATERIAL_UNAVAILABLE', RECEIPT, 'PFPS', { classification: 'UNVERIFIABLE' }),
      { keySet: null },
    ],
    [
      'no-key-set-for-an-envelope',
      'No key set given for a signed bundle: VERIFICATION_MATERIAL_UNAVAILABLE.',
      await attest(seal(v1())),
      fails('VERIFICATION_MATERIAL_UNAVAILABLE', RECEIPT, 'PFPF', { classification: 'UNVERIFIABLE' }),
      { keySet: null },
    ],
    [
      'no-key-set-for-a-malformed-receipt',
      'No key set given for a signed bundle: VERIFICATION_MATERIAL_UNAVAILABLE, before what a key would show.',
      change(bundle, `${RECEIPT}.timestamp`, 'yesterday'),
      fails('VERIFICATION_MATERIAL_UNAVAILABLE', RECEIPT, 'PFFS', {
        classification: 'UNVERIFIABLE',
        reasonCodes: ['VERIFICATION_MATERIAL_UNAVAILABLE', 'ATTESTATION_INVALID_SIGNATURE'],
      }),
      { keySet: null },
    ],
    ['no-key-set-needed', 'An unsigned bundle needs no key set.', seal(v1()), passes('PSSS'), { keySet: null }],
    [
      'keys-that-travel-inside',
      'Key sets that travel inside what is being verified are never anchors.',
      { ...bundle, keySet: keySet(), keys: keySet()['keys'] ?? null },
      fails('VERIFICATION_MATERIAL_UNAVAILABLE', RECEIPT, 'PFPS', { classification: 'UNVERIFIABLE' }),
      { keySet: null, heading: 'Verification' },
    ],
    bad('revoked', 'A revoked key without rescue is KEY_REVOKED.', 'KEY_REVOKED', {
      status: 'revoked',
      revokedAt: AFTER,
    }),
    bad('revoked-whatever-the-status-says', 'A member of a revocation beats the status.', 'KEY_REVOKED', {
      revokedAt: AFTER,
    }),
    bad('compromised', 'keyCompromise without compromisedSince has no rescue.', 'KEY_REVOKED', {
      status: 'revoked',
      revokedAt: AFTER,
      revocationReason: 'keyCompromise',
    }),
    bad('revoked-and-dated-outside', 'ATTESTATION_KEY_NOT_FOUND before KEY_REVOKED.', 'ATTESTATION_KEY_NOT_FOUND', {
      status: 'revoked',
      revokedAt: AFTER,
      retiredAt: BEFORE,
    }),
    [
      'unusable-and-dated-outside',
      'An unusable key judges no signature: the date outside its life is the fault.',
      change(bundle, 'meta.attestation.signature', at(byNamed, 'meta.attestation.signature')),
      fails('ATTESTATION_KEY_NOT_FOUND', RECEIPT, 'PFPS'),
      { keySet: keySetWith({ algorithm: 'RSA', retiredAt: BEFORE }) },
    ],
    [
      'reason-of-no-text-and-dated-outside',
      'A key whose `revocationReason` is not a string is unusable, and judges no signature.',
      change(bundle, 'meta.attestation.signature', at(byNamed, 'meta.attestation.signature')),
      fails('ATTESTATION_KEY_NOT_FOUND', RECEIPT, 'PFPS'),
      { keySet: keySetWith({ revocationReason: 1, retiredAt: BEFORE }), heading: 'Node key set' },
    ],
    bad('revoked-and-unusable', 'KEY_REVOKED before ATTESTATION_KEY_FORMAT_UNSUPPORTED.', 'KEY_REVOKED', {
      status: 'revoked',
      revokedAt: AFTER,
      algorithm: 'RSA',
    }),
    bad('small-order', UNUSABLE, 'ATTESTATION_KEY_FORMAT_UNSUPPORTED', {
      publicKey: SMALL_ORDER,
      publicKeyJwk: undefined,
    }),
    bad('non-canonical-point', UNUSABLE, 'ATTESTATION_KEY_FORMAT_UNSUPPORTED', {
      publicKey: NON_CANONICAL,
      publicKeyJwk: undefined,
    }),
    bad('differs-from-jwk', UNUSABLE, 'ATTESTATION_KEY_FORMAT_UNSUPPORTED', {
      publicKey: Buffer.from(OTHER.publicKey.raw).toString('base64'),
    }),
    bad(
      'duplicate-kid',
      UNUSABLE,
      'ATTESTATION_KEY_FORMAT_UNSUPPORTED',
      change(keySet([{ signer: ACTIVE }, { signer: OTHER }]), 'keys.1.kid', ACTIVE.kid),
      true,
    ),
    bad('other-algorithm', 'The algorithm of a key is Ed25519.', 'ATTESTATION_KEY_FORMAT_UNSUPPORTED', {
      algorithm: 'RSA',
    }),
    bad('key-is-no-base64', 'publicKey is base64 SPKI.', 'ATTESTATION_KEY_FORMAT_UNSUPPORTED', {
      publicKey: '***',
      publicKeyJwk: undefined,
    }),
    good('raw-32-bytes-in-base64url', FORMS, { publicKey: RAW_URL, publicKeyJwk: undefined }),
    good('raw-32-bytes-in-base64url-beside-a-jwk', FORMS, { publicKey: RAW_URL }),
    good('jwk-beside-an-unreadable-key', BESIDE, { publicKey: '-----BEGIN PUBLIC KEY-----' }),
    good('jwk-beside-a-key-that-is-not-text', BESIDE, { publicKey: 7 }),
    good('jwk-without-a-key', BESIDE, { publicKey: undefined }),
    good('spki-beside-an-unreadable-jwk', BESIDE, { publicKeyJwk: 'not a JWK' }),
    good('spki-beside-a-jwk-in-hex', BESIDE, { publicKeyJwk: { kty: 'OKP', crv: 'Ed25519', x: 'not base64url' } }),
    good('spki-beside-a-jwk-of-another-type', BESIDE, { publicKeyJwk: { kty: 'EC', crv: 'P-256', x: RAW_URL } }),
    good('spki-beside-a-jwk-of-another-curve', BESIDE, { publicKeyJwk: { kty: 'OKP', crv: 'X25519', x: RAW_URL } }),
    good('spki-beside-a-jwk-of-another-length', BESIDE, { publicKeyJwk: { kty: 'OKP', crv: 'Ed25519', x: 'AAAA' } }),
    good('null-jwk', 'null is absent.', { publicKeyJwk: null }),
    good('null-members', 'null is absent.', {
      status: null,
      createdAt: null,
      notBefore: null,
      retiredAt: null,
      revokedAt: null,
      compromisedSince: null,
      revocationReason: null,
    }),
    good('null-purpose-of-a-jwk', 'null is absent.', {
      publicKeyJwk: { kty: 'OKP', crv: 'Ed25519', x: RAW_URL, use: null, alg: null },
    }),
    bad('jwk-for-encryption', UNUSABLE, 'ATTESTATION_KEY_FORMAT_UNSUPPORTED', {
      publicKeyJwk: { kty: 'OKP', crv: 'Ed25519', x: RAW_URL, use: 'enc' },
    }),
    bad('jwk-of-another-algorithm', UNUSABLE, 'ATTESTATION_KEY_FORMAT_UNSUPPORTED', {
      publicKeyJwk: { kty: 'OKP', crv: 'Ed25519', x: RAW_URL, alg: 'ES256' },
    }),
    bad('base64url-differs-from-jwk', UNUSABLE, 'ATTESTATION_KEY_FORMAT_UNSUPPORTED', {
      publicKey: Buffer.from(OTHER.publicKey.raw).toString('base64url'),
    }),
    bad('base64url-with-trailing-bits', FORMS, 'ATTESTATION_KEY_FORMAT_UNSUPPORTED', {
      publicKey: `${RAW_URL.slice(0, -1)}${RAW_URL.endsWith('8') ? '9' : 'B'}`,
      publicKeyJwk: undefined,
    }),
    bad('small-order-in-base64url', UNUSABLE, 'ATTESTATION_KEY_FORMAT_UNSUPPORTED', {
      publicKey: SMALL_ORDER.replace('=', ''),
      publicKeyJwk: undefined,
    }),
    bad('small-order-beside-a-jwk', UNUSABLE, 'ATTESTATION_KEY_FORMAT_UNSUPPORTED', { publicKey: SMALL_ORDER }),
    bad('private-jwk-beside-the-key', UNUSABLE, 'ATTESTATION_KEY_FORMAT_UNSUPPORTED', {
      publicKeyJwk: { kty: 'OKP', crv: 'Ed25519', x: RAW_URL, d: RAW_URL },
    }),
    bad('private-jwk-of-no-type', UNUSABLE, 'ATTESTATION_KEY_FORMAT_UNSUPPORTED', { publicKeyJwk: { d: RAW_URL } }),
    bad('no-readable-form', BESIDE, 'ATTESTATION_KEY_FORMAT_UNSUPPORTED', { publicKey: '***', publicKeyJwk: {} }),
    bad('key-is-31-bytes', 'publicKey is base64 SPKI or 32 raw bytes.', 'ATTESTATION_KEY_FORMAT_UNSUPPORTED', {
      publicKey: Buffer.alloc(31, 1).toString('base64'),
      publicKeyJwk: undefined,
    }),
    [
      'small-order-signature',
      'A signature under a key of small order counts for nothing.',
      change(
        bundle,
        'meta.attestation.signature',
        Buffer.concat([Buffer.from(`01${'00'.repeat(31)}`, 'hex'), Buffer.alloc(32)]).toString('base64url'),
      ),
      fails('ATTESTATION_KEY_FORMAT_UNSUPPORTED', RECEIPT, 'PFPS'),
      {
        keySet: keySetWith({
          publicKey: Buffer.from(`01${'00'.repeat(31)}`, 'hex').toString('base64'),
          publicKeyJwk: undefined,
        }),
      },
    ],
    [
      'set-of-another-node',
      'The receipt names the node whose keys were given.',
      bundle,
      fails('ATTESTATION_INVALID_SIGNATURE', `${RECEIPT}.nodeId`, 'PPFS'),
      { keySet: keySet([{ signer: ACTIVE }], { nodeId: 'another' }) },
    ],
    ['dated-by-the-receipt', LIFE, change(bundle, 'snapshot.timestamp', TIME), passes('PPPS')],
  ]);
}
