import { ACTIVE, attest, change, keySet, keySetWith, seal, textAt, v1, type Json, type JsonObject } from '../forge.js';
import { fails, group, passes, type CaseLine, type Vector } from '../vector.js';

const INVALID = 'ATTESTATION_INVALID_SIGNATURE';
const RECEIPT = 'meta.attestation.receipt';
type Members = Readonly<Record<string, Json | undefined>>;

/** Each member of a key set by itself: what it may hold, and what a fault of it does. */
export async function keyEdgeCases(): Promise<Vector[]> {
  const bundle = await attest(seal(v1()), { envelope: false });
  const raw = Buffer.from(ACTIVE.publicKey.raw);
  const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw]);
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') };
  const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
  const under = (name: string, rule: string, expected: JsonObject, members: Members): CaseLine => [
    name,
    rule,
    bundle,
    expected,
    { keySet: keySetWith(members), heading: 'Node key set' },
  ];
  const good = (name: string, rule: string, members: Members): CaseLine => under(name, rule, passes('PPPS'), members);
  const unusable = (name: string, rule: string, members: Members): CaseLine =>
    under(name, rule, fails('ATTESTATION_KEY_FORMAT_UNSUPPORTED', RECEIPT, 'PFPS'), members);
  const revoked = (name: string, members: JsonObject): CaseLine =>
    under(
      name,
      'Any of revokedAt, compromisedSince, revocationReason makes the key revoked.',
      fails('KEY_REVOKED', RECEIPT, 'PFPS'),
      members,
    );
  const TIME_FORM = 'A key is unusable when one of its times is malformed.';
  const STATUS = 'A key is unusable when its status is unknown or its revocationReason is not a string.';
  const JWK = 'A key is unusable when its JWK is private or for another `use` or `alg`.';
  const READ = 'Where one of publicKey and publicKeyJwk cannot be read, the other counts.';
  const others: readonly Json[] = [{ kid: 7 }, { kid: null }, { kid: {} }, 'x', null, {}];
  const unreadable = { ...jwk, x: Buffer.alloc(32, 3).toString('base64url') };
  const appended = Buffer.concat([
    Buffer.from(textAt(bundle, 'meta.attestation.signature'), 'base64url'),
    Buffer.alloc(1),
  ]);
  return group('key', 'Key choice', keySet(), [
    ...['createdAt', 'notBefore', 'retiredAt', 'contextUnprotectedBefore'].flatMap((name): CaseLine[] => [
      unusable(`${name}-malformed`.toLowerCase(), TIME_FORM, { [name]: 'yesterday' }),
      unusable(`${name}-is-a-number`.toLowerCase(), TIME_FORM, { [name]: 7 }),
      good(`${name}-is-null`.toLowerCase(), '`null` means absent.', { [name]: null }),
    ]),
    unusable('status-unknown', STATUS, { status: 'lost' }),
    unusable('status-is-a-number', STATUS, { status: 1 }),
    unusable('algorithm-absent', 'A key is unusable when its algorithm is not Ed25519.', { algorithm: undefined }),
    revoked('revoked-by-status-alone', { status: 'revoked' }),
    revoked('revoked-by-a-reason-alone', { revocationReason: 'superseded' }),
    revoked('revoked-by-a-reason-that-is-a-number', { revocationReason: 7 }),
    revoked('revoked-by-a-time-of-compromise-alone', { compromisedSince: '2030-01-01T00:00:00Z' }),
    revoked('revoked-at-a-malformed-time', { revokedAt: 'yesterday' }),
    good('jwk-for-signatures', JWK, { publicKeyJwk: { ...jwk, use: 'sig', alg: 'EdDSA' } }),
    good('jwk-of-ed25519', JWK, { publicKeyJwk: { ...jwk, use: null, alg: 'Ed25519' } }),
    unusable('jwk-for-encryption', JWK, { publicKeyJwk: { ...jwk, use: 'enc' } }),
    unusable('jwk-of-another-algorithm', JWK, { publicKeyJwk: { ...jwk, alg: 'ES256' } }),
    good('jwk-of-another-curve', READ, { publicKeyJwk: { ...unreadable, crv: 'X25519' } }),
    good('jwk-of-another-type', READ, { publicKeyJwk: { ...unreadable, kty: 'EC' } }),
    good('jwk-of-31-bytes', READ, { publicKeyJwk: { ...jwk, x: raw.subarray(1).toString('base64url') } }),
    good('public-key-of-31-bytes-beside-its-jwk', READ, { publicKey: base64(raw.subarray(1)) }),
    unusable('public-key-of-31-bytes', READ, { publicKey: base64(raw.subarray(1)), publicKeyJwk: undefined }),
    good('public-key-of-another-curve-beside-its-jwk', READ, {
      publicKey: base64(Buffer.concat([Buffer.from('302a300506032b656e032100', 'hex'), Buffer.alloc(32, 3)])),
    }),
    unusable('public-key-of-another-curve', READ, {
      publicKey: base64(Buffer.concat([Buffer.from('302a300506032b656e032100', 'hex'), raw])),
      publicKeyJwk: undefined,
    }),
    unusable('public-key-in-another-spelling', READ, {
      publicKey: respelled(base64(spki)),
      publicKeyJwk: undefined,
    }),
    [
      'beside-entries-without-a-kid',
      'A bad entry does not affect the others. Entries without a string `kid` are left out.',
      bundle,
      passes('PPPS'),
      {
        keySet: keySet([{ signer: ACTIVE }], {
          keys: [...others, { kid: ACTIVE.kid, algorithm: 'Ed25519', publicKey: base64(spki) }, ...others],
        }),
      },
    ],
    [
      'signature-with-a-further-byte',
      'A signature has 64 bytes.',
      change(bundle, 'meta.attestation.signature', appended.toString('base64url')),
      fails(INVALID, 'meta.attestation.signature', 'PFPS'),
      { heading: 'Signatures' },
    ],
    [
      'receipt-without-a-canonical-form',
      'The signature is over the UTF-8 of the receipt’s JCS form; a lone surrogate has none.',
      change(bundle, `${RECEIPT}.nodeId`, '\ud800'),
      fails(INVALID, 'meta.attestation.signature', 'PFFS'),
      { heading: 'Receipt' },
    ],
    [
      'incomplete-receipt-without-a-signature',
      'A receipt that is absent or lacks a member is named before an absent signature.',
      change(change(bundle, `${RECEIPT}.nodeId`, undefined), 'meta.attestation.signature', undefined),
      fails('ATTESTATION_MISSING', RECEIPT, 'PFFS', { reasonCodes: ['ATTESTATION_MISSING'] }),
      { heading: 'Layer 2: receipt' },
    ],
    [
      'no-key-set-for-an-incomplete-receipt',
      'A receipt that lacks a member is ATTESTATION_MISSING.',
      change(bundle, `${RECEIPT}.nodeId`, undefined),
      fails('ATTESTATION_MISSING', RECEIPT, 'PFFS', { reasonCodes: ['ATTESTATION_MISSING'] }),
      { keySet: null, heading: 'Receipt' },
    ],
  ]);
}

/** The same bytes in base64 whose last digit has a bit that none of them needs. */
function respelled(base64: string): string {
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const last = base64.indexOf('=') - 1;
  return `${base64.slice(0, last)}${digits[digits.indexOf(base64[last] ?? '') + 1] ?? ''}${base64.slice(last + 1)}`;
}
