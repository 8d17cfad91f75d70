import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '@cer/canonical-json';
import { describe, expect, it } from '@jest/globals';
import { sha256 } from '../hash.js';
import type { SoundTimestamp, TimestampClaim, TimestampFinding } from './timestamp-verifier.js';
import { checkTimestamps, timestampsOfReceipt, timestampedText, type TimestampSources } from './timestamps.js';

const HASH = sha256('a certificate');
const RECEIPT: JsonObject = { kid: 'a', certificateHash: HASH };
const INCLUSION: JsonObject = { treeSize: 2, leafIndex: 0, path: [] };

const sound = (status: 'verified' | 'untrusted', covers: 'receipt' | 'content'): SoundTimestamp => ({
  ...{ status, covers, genTime: '2026-01-02T03:04:05Z', accuracy: 0, provider: `${status} ${covers}` },
});
const rfc3161 = (token: JsonValue, members: JsonObject = {}): JsonObject => ({ type: 'rfc3161', token, ...members });

/** The claims that a verifier is asked to check, in their order. */
async function claimsOf(sources: Partial<TimestampSources>): Promise<readonly TimestampClaim[]> {
  const claims: TimestampClaim[] = [];
  const all = { receipt: null, signature: undefined, hash: undefined, places: [], ...sources };
  await checkTimestamps(all, async (claim) => {
    claims.push(claim);
    return { status: 'not-checked' };
  });
  return claims;
}

async function tokensIn(...places: readonly (JsonObject | null)[]): Promise<readonly (readonly unknown[])[]> {
  return (await claimsOf({ places })).map(({ token, inclusion }) => [token, inclusion]);
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

async function candidatesOf(sources: Partial<TimestampSources>): Promise<readonly (readonly string[])[]> {
  const [claim] = await claimsOf({ ...sources, places: [{ timestamp: rfc3161('AAAA') }] });
  return (claim?.candidates ?? []).map((each) => [each.covers, Buffer.from(each.digest).toString('hex')]);
}

describe('what a token may cover', () => {
  it('is the signed receipt, then the hash and its text', async () => {
    const signed = `{"receipt":{"certificateHash":"${HASH}","kid":"a"},"signature":"c2ln"}`;
    expect(timestampedText(RECEIPT, 'c2ln')).toBe(signed);
    expect(await candidatesOf({ receipt: RECEIPT, signature: 'c2ln', hash: HASH })).toEqual([
      ['receipt', digest(signed)],
      ['content', digest('a certificate')],
      ['content', digest(HASH)],
    ]);
  });

  it.each<readonly [string, Partial<TimestampSources>]>([
    ['without a receipt', { receipt: null, signature: 'c2ln' }],
    ['without a signature', { receipt: RECEIPT, signature: undefined }],
    ['with a signature that is not a text', { receipt: RECEIPT, signature: 7 }],
    ['with a receipt that has no canonical form', { receipt: { kid: '\ud800' }, signature: 'c2ln' }],
  ])('is the content alone %s', async (_name, sources) => {
    const covered = await candidatesOf({ ...sources, hash: HASH });
    expect(covered.map(([covers]) => covers)).toEqual(['content', 'content']);
  });

  it.each([[undefined], ['sha256:abc'], [7]])('is nothing of the hash %p', async (hash) => {
    expect(await candidatesOf({ hash })).toEqual([]);
  });
});

describe('the tokens of a record', () => {
  it('are those of type rfc3161 that are texts', async () => {
    const timestamps: JsonValue = [
      rfc3161('one'),
      { type: 'other', token: 'two' },
      rfc3161(3),
      'four',
      null,
      rfc3161('five', { inclusion: INCLUSION }),
      rfc3161('six', { inclusion: null }),
    ];
    const found = [
      ['one', undefined],
      ['five', INCLUSION],
      ['six', undefined],
    ];
    expect(await tokensIn(null, { timestamps }, { timestamps: 'text' }, {})).toEqual(found);
  });

  it('are listed before the one that is alone', async () => {
    expect(await tokensIn({ timestamp: rfc3161('alone') }, { timestamps: [rfc3161('listed')] }, null)).toEqual([
      ['listed', undefined],
      ['alone', undefined],
    ]);
  });

  it('are asked for once, where one is repeated', async () => {
    const listed = rfc3161('one', { inclusion: INCLUSION });
    const other = rfc3161('one', { inclusion: { ...INCLUSION, leafIndex: 1 } });
    const repeated = [{ timestamps: [listed, other, listed] }, { timestamps: [other] }, { timestamp: rfc3161('one') }];
    expect(await tokensIn(...repeated, { timestamp: listed })).toEqual([
      ['one', INCLUSION],
      ['one', { ...INCLUSION, leafIndex: 1 }],
    ]);
  });

  it('are two where the batch inclusion differs', async () => {
    expect(await tokensIn({ timestamps: [rfc3161('one', { inclusion: INCLUSION }), rfc3161('one')] })).toEqual([
      ['one', INCLUSION],
      ['one', undefined],
    ]);
    expect(
      await tokensIn({ timestamps: [rfc3161('one')], timestamp: rfc3161('one', { inclusion: INCLUSION }) }),
    ).toEqual([
      ['one', undefined],
      ['one', INCLUSION],
    ]);
  });

  it('read a large batch inclusion once for all repetitions', async () => {
    let reads = 0;
    const large = new Proxy(INCLUSION, {
      ownKeys: (inclusion) => {
        reads++;
        return Reflect.ownKeys(inclusion);
      },
    });
    const others = Array.from({ length: 1000 }, () => rfc3161('one', { inclusion: {} }));
    expect(await tokensIn({ timestamps: [rfc3161('one', { inclusion: large }), ...others] })).toHaveLength(2);
    expect(reads).toBeLessThan(10);
  });

  it('are at most eight', async () => {
    const timestamps = Array.from({ length: 9 }, (_, at) => rfc3161(`token ${at}`));
    expect((await tokensIn({ timestamps })).map(([token]) => token)).toEqual(
      timestamps.slice(0, 8).map(({ token }) => token),
    );
  });
});

describe('the findings on tokens', () => {
  const found: Readonly<Record<string, TimestampFinding>> = {
    unknown: { status: 'not-checked' },
    invalid: { status: 'invalid', detail: 'no' },
    untrusted: sound('untrusted', 'receipt'),
    content: sound('verified', 'content'),
    receipt: sound('verified', 'receipt'),
  };
  const check = async (...tokens: readonly string[]): Promise<readonly TimestampFinding[]> =>
    checkTimestamps(
      {
        receipt: null,
        signature: undefined,
        hash: HASH,
        places: [{ timestamps: tokens.map((each) => rfc3161(each)) }],
      },
      async ({ token }) => {
        const finding = found[token];
        if (finding === undefined) throw new Error('a parser failed');
        return finding;
      },
    );

  it('begin with a verified one over the receipt', async () => {
    const best = [found['receipt'], found['content'], found['untrusted']];
    expect(await check('invalid', 'untrusted', 'content', 'receipt', 'unknown')).toEqual([
      ...best,
      found['invalid'],
      found['unknown'],
    ]);
    expect(await check('unknown', 'receipt', 'content', 'untrusted', 'invalid')).toEqual([
      ...best,
      found['unknown'],
      found['invalid'],
    ]);
  });

  it('are invalid where the verifier throws', async () => {
    expect(await check('hostile')).toEqual([{ status: 'invalid', detail: 'the token could not be checked' }]);
  });

  it('date the signing only where verified over the receipt', () => {
    const all = [...Object.values(found), sound('untrusted', 'content')];
    expect(timestampsOfReceipt(all)).toEqual([found['receipt']]);
  });
});
