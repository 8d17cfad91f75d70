import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@cer/canonical-json';
import {
  hashText,
  LEAF_TYPE,
  makeLeaf,
  ownerOpening,
  publicOpening,
  receiptDigest,
  type LeafLabel,
} from '../leaf/leaf.js';
import { parseCheckpoint } from '../note/checkpoint.js';
import { parseLogPolicy } from '../policy/policy.js';
import { TestLog, testPolicy, TestWitness } from '../testing/index.js';
import { judgeCheckpoint, quorumCosignedAfter, quorumReachedAt } from './judge-checkpoint.js';
import { judgeLogProof, type LogProofSubject, type LogProofText, type LogVerdict } from './log-verdict.js';
import { createTransparencyVerifier } from './transparency-verifier.js';

const SIGNED_AT = '2026-01-02T03:04:05.000Z';
const AT = Date.parse(SIGNED_AT) / 1000;
const RECEIPT: JsonObject = { a: 1 };
const LABEL: LeafLabel = {
  appId: 'app',
  at: SIGNED_AT,
  bundleType: 'cer.ai.execution.v1',
  kind: 'certificate',
  number: 1,
  tenant: hashText(new Uint8Array(32)),
};
const [w1, w2, w3] = [new TestWitness('w1'), new TestWitness('w2'), new TestWitness('w3')];
const leaf = makeLeaf(new Uint8Array(32).fill(3), receiptDigest(RECEIPT, 'signature'), LABEL);

const log = new TestLog('log.example');
log.appendMany(4);
const index = log.append(leaf.entry);
log.appendMany(2, 9);
const policy = parseLogPolicy(testPolicy([log], [w1, w2]));
const quorumOf = (threshold: string): ReturnType<typeof parseLogPolicy> =>
  parseLogPolicy(
    [
      ...[w1, w2, w3].map(({ key, vkey }) => `witness ${key.name} ${vkey}`),
      `log ${log.vkey}\ngroup g ${threshold} w1 w2 w3\nquorum g`,
    ].join('\n'),
  );
const subject: LogProofSubject = { receipt: RECEIPT, signature: 'signature', receiptSeconds: AT };
const RULES = { policy, mmdSeconds: 60 };

/** A proof whose witnesses signed at these seconds after the receipt. */
async function proofAt(...times: readonly number[]): Promise<string> {
  const cosigners = times.map((time, at) => [[w1, w2][at] ?? w1, AT + time] as const);
  return log.proof(index, await log.checkpoint(log.size, cosigners), publicOpening(leaf));
}
const judged = async (texts: Partial<LogProofText>, about: Partial<LogProofSubject> = {}): Promise<LogVerdict> =>
  judgeLogProof({ proof: await proofAt(10, 20), ...texts }, { ...subject, ...about }, RULES);

const NOTHING = { origin: null, index: null, treeSize: null, loggedAfter: null, loggedBy: null, witnesses: [] };
const PLACE = { ...NOTHING, origin: 'log.example', index, treeSize: log.size };
const WITNESSED = { ...PLACE, witnesses: ['w1', 'w2'] };

describe('the verdict on a proof', () => {
  it('is included, with place, times and witnesses', async () => {
    expect(await judged({})).toEqual({ ...WITNESSED, status: 'included', code: null, loggedBy: AT + 20 });
  });

  it('is that it is malformed', async () => {
    for (const proof of ['text', log.proof(index, await log.checkpoint())]) {
      expect(await judged({ proof })).toEqual({ ...NOTHING, status: 'invalid', code: 'LOG_PROOF_MALFORMED' });
    }
  });

  it('is invalid for a cosignature after the year 9999', async () => {
    const last = Date.parse('9999-12-31T23:59:59Z') / 1000;
    const late = { status: 'included', code: 'LOG_LATE', loggedBy: last };
    expect(await judged({ proof: await proofAt(10, last - AT) })).toMatchObject(late);
    expect(await judged({ proof: await proofAt(10, last + 1 - AT) })).toEqual({
      ...PLACE,
      status: 'invalid',
      code: 'LOG_SIGNATURE_INVALID',
    });
  });

  it('is malformed for an opening not meant for owners', async () => {
    const opening = { type: LEAF_TYPE, leafHash: hashText(leaf.leafHash) };
    const checkpoint = await log.checkpoint(log.size, [[w1, AT]]);
    const proof = log.proof(index, checkpoint, Buffer.from(JSON.stringify(opening)));
    expect(await judged({ proof })).toEqual({ ...NOTHING, status: 'invalid', code: 'LOG_PROOF_MALFORMED' });
  });

  it('is unknown for another log, invalid for a wrong signature', async () => {
    const other = new TestLog('other.example');
    other.append(leaf.entry);
    const unknown = other.proof(0, await other.checkpoint(), publicOpening(leaf));
    expect(await judged({ proof: unknown })).toEqual({
      ...NOTHING,
      ...{ status: 'unknown-log', code: 'LOG_UNKNOWN', origin: 'other.example', index: 0, treeSize: 1 },
    });
    // Of two reasons the first of the table.
    const [line = ''] = (await log.checkpoint(0, [[w1, AT]])).split('\n').slice(-2);
    const both = other.proof(0, `${await other.checkpoint()}${line}\n`, publicOpening(leaf));
    expect(await judged({ proof: both })).toMatchObject({ status: 'unknown-log', code: 'LOG_UNKNOWN' });
    const moved = (await proofAt(1, 2)).replace('log.example\n7\n', 'log.example\n8\n');
    expect(await judged({ proof: moved })).toEqual({
      ...PLACE,
      ...{ status: 'invalid', code: 'LOG_SIGNATURE_INVALID', treeSize: 8 },
    });
  });

  it('is that the receipt is not in the log', async () => {
    const invalid = { ...WITNESSED, status: 'invalid', code: 'LOG_INCLUSION_INVALID' };
    expect(await judged({}, { signature: 'another' })).toEqual(invalid);
    expect(await judged({}, { receipt: { a: 2 } })).toEqual(invalid);
    const elsewhere = (await proofAt(1, 2)).replace(`index ${index}`, 'index 3');
    expect(await judged({ proof: elsewhere })).toEqual({ ...invalid, index: 3 });
  });

  it("is invalid for another label than the receipt's", async () => {
    const checkpoint = await log.checkpoint(log.size, [
      [w1, AT],
      [w2, AT],
    ]);
    const proof = log.proof(index, checkpoint, ownerOpening(leaf, LABEL));
    const labels: LeafLabel[] = [];
    const isLabelRight = (isRight: boolean) => (label: LeafLabel) => {
      labels.push(label);
      return isRight;
    };
    const wrong = await judged({ proof }, { isLabelRight: isLabelRight(false) });
    expect(wrong).toEqual({ ...WITNESSED, status: 'invalid', code: 'LOG_LABEL_MISMATCH' });
    expect(await judged({ proof }, { isLabelRight: isLabelRight(true) })).toMatchObject({ code: null });
    expect(labels).toEqual([LABEL, LABEL]);
    // Nothing to compare with, and a public opening, which has no label.
    expect(await judged({ proof })).toMatchObject({ code: null });
    expect(await judged({}, { isLabelRight: isLabelRight(false) })).toMatchObject({ code: null });
    expect(labels).toHaveLength(2);
  });

  it('is that too few witnesses signed', async () => {
    const proof = await proofAt(10);
    const missing = { ...PLACE, witnesses: ['w1'], status: 'invalid', code: 'LOG_QUORUM_NOT_MET' };
    expect(await judged({ proof })).toEqual(missing);
  });

  it.each<[string, number, string, string | null]>([
    ['signed 300 s before the receipt', -300, 'included', null],
    ['signed 301 s before', -301, 'invalid', 'LOG_TIME_CONFLICT'],
    ['signed at the end of delay and tolerance', 360, 'included', null],
    ['signed a second later', 361, 'included', 'LOG_LATE'],
  ])('compares times: %s', async (_, time, status, code) => {
    expect(await judged({ proof: await proofAt(time, time) })).toEqual({
      ...WITNESSED,
      ...{ status, code, loggedBy: AT + time },
    });
  });

  it.each<[string, number, string, string | null]>([
    ['at the end of delay and tolerance', 360, 'included', 'LOG_LATE'],
    ['a second later', 361, 'invalid', 'LOG_BACKDATED'],
  ])('takes a checkpoint without the leaf as the earliest time: %s', async (_, time, status, code) => {
    const notBefore = await log.checkpoint(index, [
      [w2, AT + time + 5],
      [w1, AT + time],
    ]);
    expect(await judged({ proof: await proofAt(500, 400), notBefore })).toEqual({
      ...WITNESSED,
      ...{ status, code, loggedAfter: AT + time, loggedBy: AT + 500 },
    });
  });

  it('has no time from a checkpoint unrelated to the leaf', async () => {
    const both = [
      [w1, AT + 9000],
      [w2, AT + 9000],
    ] as const;
    const other = new TestLog('other.example');
    const renamed = new TestLog('log.example');
    const unwitnessed = await log.checkpoint(index, both.slice(1));
    const withLeaf = await log.checkpoint(index + 1, both);
    const forged = (await log.checkpoint(index, both)).replace(`\n${index}\n`, `\n${index - 1}\n`);
    for (const notBefore of [null, unwitnessed, withLeaf, forged, await other.checkpoint(0, both)]) {
      expect(await judged({ notBefore })).toMatchObject({ code: null, loggedAfter: null });
    }
    expect(await judged({ notBefore: await renamed.checkpoint(0, both) })).toMatchObject({ code: 'LOG_BACKDATED' });
    const twoLogs = { policy: parseLogPolicy(testPolicy([log, other], [w1, w2])), mmdSeconds: 60 };
    const texts = { proof: await proofAt(10, 20), notBefore: await other.checkpoint(0, both) };
    expect(await judgeLogProof(texts, subject, twoLogs)).toMatchObject({ code: null, loggedAfter: null });
    expect(await judged({ notBefore: 'text' })).toMatchObject({ code: 'LOG_PROOF_MALFORMED' });
    const none = parseLogPolicy(testPolicy([log, other], []));
    const verdict = await judgeLogProof({ proof: await proofAt(), notBefore: await other.checkpoint(0) }, subject, {
      policy: none,
      mmdSeconds: 0,
    });
    expect(verdict).toEqual({ ...PLACE, status: 'included', code: null });
  });

  it('passes on its own errors', async () => {
    const proof = await proofAt(1, 2);
    const failing = Object.create(policy, { logs: { get: () => failed() } }) as typeof policy;
    await expect(judgeLogProof({ proof }, subject, { policy: failing, mmdSeconds: 0 })).rejects.toThrow(RangeError);
    const texts = Object.defineProperty({ proof }, 'notBefore', { get: () => failed() });
    await expect(judgeLogProof(texts, subject, RULES)).rejects.toThrow(RangeError);
  });
});

function failed(): never {
  throw new RangeError('not a refusal');
}

describe('a checkpoint', () => {
  it('has each time of a witness once, in order', async () => {
    const times = [30, 4, 200, 4];
    const note = await log.checkpoint(
      log.size,
      times.map((time) => [w1, time] as const),
    );
    expect(await judgeCheckpoint(parseCheckpoint(note), policy)).toEqual({
      status: 'signed',
      witnesses: [{ name: 'w1', times: [4, 30, 200] }],
      isQuorumMet: false,
    });
  });

  it('is not signed by the key of another log', async () => {
    const other = new TestLog('other.example');
    const both = parseLogPolicy(testPolicy([log, other], []));
    const text = await log.checkpoint();
    const [, line = ''] = (await other.checkpoint(0)).split('\n\n');
    const borrowed = `${text.slice(0, text.indexOf('\n\n'))}\n\n${line}`;
    expect(await judgeCheckpoint(parseCheckpoint(borrowed), both)).toEqual({ status: 'refused', code: 'LOG_UNKNOWN' });
    const added = parseCheckpoint(`${text}${line}`);
    expect(await judgeCheckpoint(added, both)).toMatchObject({ status: 'signed' });
  });

  it('passes on an error that is not a refusal', async () => {
    const key = Object.defineProperty({ ...log.key }, 'id', { get: () => failed() });
    const failing = { ...policy, logs: [{ key, url: null }] };
    await expect(judgeCheckpoint(parseCheckpoint(await log.checkpoint()), failing)).rejects.toThrow(RangeError);
  });
});

describe('the time of a quorum', () => {
  const witnesses = [
    { name: 'w1', times: [100, 900] },
    { name: 'w2', times: [20, 500] },
    { name: 'w3', times: [3000, 4000] },
  ];

  it.each([
    ['any', 20, 4000],
    ['2', 100, 900],
    ['all', 3000, 500],
  ])('of %s witnesses', (threshold, reached, after) => {
    expect(quorumReachedAt(witnesses, quorumOf(threshold))).toBe(reached);
    expect(quorumCosignedAfter(witnesses, quorumOf(threshold))).toBe(after);
  });

  it('is none without a quorum or a demand', () => {
    const none = parseLogPolicy(testPolicy([log], []));
    for (const timeOf of [quorumReachedAt, quorumCosignedAfter]) {
      expect(timeOf(witnesses.slice(1), quorumOf('all'))).toBeNull();
      expect(timeOf(witnesses, none)).toBeNull();
    }
  });
});

describe('the verifier of certificates', () => {
  const label = { appId: 'app', bundleType: 'cer.ai.execution.v1', kinds: ['again', 'certificate'] };
  const claim = { notBefore: null, receipt: RECEIPT, signature: 'signature', signedAt: SIGNED_AT, label };
  const owned = async (): Promise<string> =>
    log.proof(
      index,
      await log.checkpoint(log.size, [
        [w1, AT + 10],
        [w2, AT + 20],
      ]),
      ownerOpening(leaf, LABEL),
    );

  it('gets times in ISO 8601', async () => {
    const notBefore = await log.checkpoint(index, [
      [w1, AT - 5],
      [w2, AT - 6],
    ]);
    const verdict = await createTransparencyVerifier({ policy })({ ...claim, proof: await owned(), notBefore });
    expect(verdict).toEqual({
      ...WITNESSED,
      ...{ status: 'included', code: null },
      ...{ loggedAfter: '2026-01-02T03:03:59.000Z', loggedBy: '2026-01-02T03:04:25.000Z' },
    });
  });

  it('gets no times where there are none', async () => {
    const none = parseLogPolicy(testPolicy([log], []));
    const verdict = await createTransparencyVerifier({ policy: none })({ ...claim, proof: await owned() });
    expect(verdict).toMatchObject({ code: null, loggedAfter: null, loggedBy: null });
  });

  it('allows an hour where no delay is set', async () => {
    const proof = await proofAt(3900, 3901);
    const late = { ...claim, proof };
    expect(await createTransparencyVerifier({ policy })(late)).toMatchObject({ code: 'LOG_LATE' });
    expect(await createTransparencyVerifier({ policy })({ ...claim, proof: await proofAt(3900, 3900) })).toMatchObject({
      code: null,
    });
    expect(await createTransparencyVerifier({ policy, mmdSeconds: 3601 })(late)).toMatchObject({ code: null });
  });

  it.each<[string, object, string | null]>([
    ['of another application', { label: { ...label, appId: null } }, 'LOG_LABEL_MISMATCH'],
    ['of another type', { label: { ...label, bundleType: null } }, 'LOG_LABEL_MISMATCH'],
    ['of another kind', { label: { ...label, kinds: ['reseal'] } }, 'LOG_LABEL_MISMATCH'],
    ['of another time, to the letter', { signedAt: '2026-01-02T03:04:05Z' }, 'LOG_LABEL_MISMATCH'],
    ['of no certificate that is here', { label: { appId: null, bundleType: null, kinds: [] } }, null],
    [
      'of another time, without a certificate',
      { signedAt: '2026-01-02T03:04:05Z', label: { ...label, kinds: [] } },
      'LOG_LABEL_MISMATCH',
    ],
  ])('compares the label %s', async (_, changed, code) => {
    const verdict = await createTransparencyVerifier({ policy })({ ...claim, proof: await owned(), ...changed });
    expect(verdict).toMatchObject({ code });
  });

  it('takes only a timestamp', async () => {
    const verify = createTransparencyVerifier({ policy });
    await expect(verify({ ...claim, proof: await owned(), signedAt: 'today' })).rejects.toThrow(
      new TypeError('signedAt: must be a timestamp'),
    );
  });
});
