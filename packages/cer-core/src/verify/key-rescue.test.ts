import { describe, expect, it } from '@jest/globals';
import { parseKeySet, type KeyEntry } from '@cer/keys';
import { testKeySet } from '@cer/keys/testing';
import { TEST_NODE_ID, TEST_SIGNER, TEST_TIME } from '../testing/index.js';
import { chooseKey, isAfter } from './key-choice.js';
import { rescueKey } from './key-rescue.js';
import type { SoundTimestamp } from './timestamp-verifier.js';

const { kid } = TEST_SIGNER;
const SINCE = '2026-02-01T00:00:01.000000005Z';
const REVOKED: Pick<KeyEntry, 'status' | 'revokedAt' | 'revocationReason'> = {
  status: 'revoked',
  revokedAt: SINCE,
  revocationReason: 'superseded',
};

const keys = parseKeySet(testKeySet({ nodeId: TEST_NODE_ID, signers: [{ signer: TEST_SIGNER }] }));

function entryOf(members: Partial<KeyEntry>): KeyEntry {
  const entry = keys.entries.get(kid);
  if (entry === undefined) throw new Error('no key');
  return { ...entry, ...members };
}

function timestampAt(genTime: string, accuracy = 0): SoundTimestamp {
  return { status: 'verified', covers: 'receipt', genTime, accuracy, provider: 'an authority' };
}

const NO_TIMESTAMP = (before: string): object => ({
  rescue: null,
  detail: `names a key that was revoked, and no verified timestamp over the receipt lies before its ${before}`,
});

describe('a timestamp and a revoked key', () => {
  it('prove signing when genTime and accuracy lie before the revocation', () => {
    const genTime = '2026-02-01T00:00:00.5Z';
    expect(rescueKey(entryOf(REVOKED), [timestampAt(genTime, 7)])).toEqual({
      rescue: {
        ...{ kid, revocationReason: 'superseded', before: 'revokedAt', limit: SINCE },
        ...{ genTime, accuracy: 7, provider: 'an authority' },
      },
    });
  });

  it.each([
    ['just before', '2026-02-01T00:00:01.000000004Z', 0, true],
    ['at that time', '2026-02-01T00:00:01.000000005Z', 0, false],
    ['later', '2026-02-01T00:00:02Z', 0, false],
    ['with a nanosecond of accuracy too many', '2026-02-01T00:00:01.000000004Z', 1, false],
    ['with the last nanosecond of accuracy', '2026-02-01T00:00:01.000000002Z', 2, true],
    ['whose accuracy carries into the next second', '2026-02-01T00:00:00.999999999Z', 5, true],
    ['whose accuracy carries and is too much', '2026-02-01T00:00:00.999999999Z', 6, false],
    ['with whole seconds of accuracy', '2026-01-31T23:59:58Z', 3_000_000_004, true],
    ['with whole seconds of accuracy, one too many', '2026-01-31T23:59:58Z', 4_000_000_000, false],
    ['whose time is none', 'yesterday', 0, false],
  ])('%s', (_name, genTime, accuracy, isRescued) => {
    const outcome = rescueKey(entryOf(REVOKED), [timestampAt(genTime, accuracy)]);
    if (isRescued) expect(outcome).toMatchObject({ rescue: { kid, genTime, accuracy } });
    else expect(outcome).toEqual(NO_TIMESTAMP('revokedAt'));
  });

  it('are judged by the first timestamp that lies before', () => {
    const timestamps = [
      timestampAt('2027-01-01T00:00:00Z'),
      timestampAt('2026-01-03T00:00:00Z'),
      timestampAt('2026-01-02T00:00:00Z'),
    ];
    expect(rescueKey(entryOf(REVOKED), timestamps)).toMatchObject({ rescue: { genTime: '2026-01-03T00:00:00Z' } });
  });

  it('need a timestamp', () => {
    expect(rescueKey(entryOf(REVOKED), [])).toEqual(NO_TIMESTAMP('revokedAt'));
  });

  it('count from the compromise where it is dated', () => {
    const entry = entryOf({ ...REVOKED, revocationReason: 'keyCompromise', compromisedSince: '2026-01-20T00:00:00Z' });
    expect(rescueKey(entry, [timestampAt('2026-01-21T00:00:00Z')])).toEqual(NO_TIMESTAMP('compromisedSince'));
    expect(rescueKey(entry, [timestampAt('2026-01-19T00:00:00Z')])).toMatchObject({
      rescue: { revocationReason: 'keyCompromise', before: 'compromisedSince', limit: '2026-01-20T00:00:00Z' },
    });
  });

  it('prove nothing where the time of the revocation is none', () => {
    expect(rescueKey(entryOf({ ...REVOKED, revokedAt: 'once' }), [timestampAt('2026-01-01T00:00:00Z')])).toEqual(
      NO_TIMESTAMP('revokedAt'),
    );
  });

  it('state no reason where the key set has none', () => {
    const entry = entryOf({ status: 'revoked', revokedAt: SINCE });
    expect(rescueKey(entry, [timestampAt('2026-01-02T00:00:00Z')])).toMatchObject({
      rescue: { revocationReason: null },
    });
  });

  it('prove nothing where the compromise is not dated', () => {
    expect(
      rescueKey(entryOf({ ...REVOKED, revocationReason: 'keyCompromise' }), [timestampAt('2026-01-01T00:00:00Z')]),
    ).toEqual({
      rescue: null,
      detail: 'names a key that was revoked as compromised, since when is not known, so no timestamp can help',
    });
  });

  it('prove nothing where the revocation is not dated', () => {
    const entry = entryOf({ status: 'revoked', revocationReason: 'superseded' });
    expect(rescueKey(entry, [timestampAt('2026-01-01T00:00:00Z')])).toEqual({
      rescue: null,
      detail: 'names a key that was revoked, when is not known, so no timestamp can help',
    });
  });
});

describe('the choice of a key', () => {
  const choose = (entry: KeyEntry | null, at = TEST_TIME) =>
    chooseKey({ ...keys, entries: new Map(entry === null ? [] : [[kid, entry]]) }, kid, at, []);

  it('says why there is none', () => {
    expect(chooseKey(null, kid, TEST_TIME, [])).toMatchObject({
      code: 'VERIFICATION_MATERIAL_UNAVAILABLE',
      detail: 'no key set of the node was given, so no signature was checked',
    });
    expect(choose(null)).toEqual({
      ...{ key: null, entry: null, misdated: null, code: 'ATTESTATION_KEY_NOT_FOUND' },
      detail: 'names a key that is not in the key set',
    });
    const retired = entryOf({ retiredAt: '2026-01-01T00:00:00Z' });
    expect(choose(retired)).toMatchObject({
      ...{ key: null, entry: retired, code: 'ATTESTATION_KEY_NOT_FOUND' },
      detail: "is dated outside the key's life",
    });
    const unusable = entryOf({ key: { usable: false, reason: 'of another kind' } });
    expect(choose(unusable)).toMatchObject({
      ...{ key: null, entry: unusable, misdated: null, code: 'ATTESTATION_KEY_FORMAT_UNSUPPORTED' },
      detail: 'names a key that is unusable: of another kind',
    });
    expect(choose({ ...unusable, notBefore: '2027-01-01T00:00:00Z' })).toMatchObject({ key: null, misdated: null });
  });

  it('takes the ends of the life of a key', () => {
    for (const life of [{ notBefore: TEST_TIME }, { retiredAt: TEST_TIME }, {}]) {
      expect(choose(entryOf(life))).toMatchObject({ entry: { kid }, rescue: null });
    }
  });
});

it('no unknown time is later than another', () => {
  expect(isAfter('2026-01-02T00:00:00Z', '2026-01-01T00:00:00Z')).toBe(true);
  expect(isAfter('2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z')).toBe(false);
  expect(isAfter(undefined, '2026-01-01T00:00:00Z')).toBe(false);
  expect(isAfter('2026-01-02T00:00:00Z', undefined)).toBe(false);
});
