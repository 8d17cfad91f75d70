import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Secret } from '@cer/http-service/config';
import { isJsonObject, parseJson, type JsonObject } from '@cer/canonical-json';
import type { Attestor } from '@cer/cer-core/attest';
import { evaluateCer, type Evaluation } from '@cer/cer-core/verify';
import { CONFIDENTIAL_MEMBERS, executionRequest, TEST_NODE_ID, TEST_SIGNER } from '@cer/cer-core/testing';
import { parseKeySet, type Signer } from '@cer/keys';
import { testKeySet, testSigner } from '@cer/keys/testing';

import { ask, at, objectAt, textAt, type Answer } from './ask.js';
import { fixedSigning } from '../src/testing/fixed-signing.js';
import { sealedElsewhere } from './sealed-elsewhere.js';
import { startTestNode, type TestNode } from './test-node.js';
import { zipFiles } from './zip-files.js';

const SECRET = 'a secret of the test node';
const NEXT = testSigner('next');
const UNKNOWN = `sha256:${'0'.repeat(64)}`;
const KEY_SET = testKeySet({ nodeId: TEST_NODE_ID, signers: [{ signer: TEST_SIGNER }, { signer: NEXT }] });

let node: TestNode;
let key: string;
let active: Signer = TEST_SIGNER;

beforeAll(async () => {
  node = await startTestNode({
    replace: ({ signing, runtime }) => {
      const attestor = (): Attestor => ({ signer: active, nodeId: TEST_NODE_ID, nodeRuntimeHash: runtime.hash });
      return {
        adminSecret: new Secret(SECRET),
        signing: {
          ...signing,
          published: () => fixedSigning(attestor(), KEY_SET).published(),
          attestorAt: async () => attestor(),
        },
      };
    },
  });
  key = await node.newKey('owner');
});
afterAll(() => node.close());

const recertify = (body: unknown): Promise<Answer> =>
  ask(node, 'post', '/v1/admin/recertify-batch', { headers: { 'x-admin-secret': SECRET }, body });

/** A record under the first key; afterwards the second key is active. */
async function recorded(path: string, body: unknown, by = key): Promise<string> {
  active = TEST_SIGNER;
  const made = await ask(node, 'post', path, { key: by, body });
  active = NEXT;
  return textAt(made.body, 'certificateHash');
}
const certified = (members: JsonObject): Promise<string> => recorded('/v1/cer/ai/certify', executionRequest(members));

const publicAnswer = async (hash: string): Promise<unknown> =>
  (await ask(node, 'get', `/v1/cer/public?certificate_hash=${hash}`)).body;

const verified = (cer: unknown): Promise<Evaluation> =>
  evaluateCer(cer, { keySet: parseKeySet(KEY_SET), verifiedAt: new Date().toISOString() });

/** The lines of `receipts/` in the audit package of an account. */
async function receiptLines(by: string): Promise<readonly JsonObject[]> {
  const answer = await fetch(`${node.url}/v1/records/export`, { headers: { authorization: `Bearer ${by}` } });
  const files = await zipFiles(Buffer.from(await answer.arrayBuffer()));
  const lines = files.get('receipts/000001.ndjson')?.toString().trimEnd().split('\n') ?? [];
  return lines.map((line) => parseJson(line)).filter(isJsonObject);
}

/** The stored bundle with its complete meta, as replayed. */
async function ownCer(members: JsonObject): Promise<JsonObject> {
  const answer = await ask(node, 'post', '/v1/cer/ai/certify', { key, body: executionRequest(members) });
  const cer = objectAt(answer.body, 'cer');
  if (!isJsonObject(cer)) throw new Error('a replay returns a bundle');
  return cer;
}

describe('recertification', () => {
  it('signs with the active key and keeps history', async () => {
    const members = { executionId: 'plain' };
    const hash = await certified(members);
    const earlier = (await ownCer(members))['meta'];
    const done = await recertify({ certificateHashes: [hash] });
    expect(done).toMatchObject({
      status: 200,
      body: { results: [{ certificateHash: hash, result: 'recertified', reason: null }], next: null },
    });
    const cer = await ownCer(members);
    expect(await verified(cer)).toMatchObject({
      status: 'VERIFIED',
      certificateHash: hash,
      signed: { kid: NEXT.kid },
      envelope: { status: 'PASS' },
    });
    expect(at(cer, 'meta', 'attestationHistory')).toEqual([earlier]);
    expect(at(await publicAnswer(hash), 'receipt', 'kid')).toBe(NEXT.kid);
    const again = await recertify({ certificateHashes: [hash] });
    expect(again.body).toMatchObject({ results: [{ certificateHash: hash, result: 'unchanged' }] });
    expect(await ownCer(members)).toEqual(cer);
  });

  // A log proof of the new receipt says that the record was attested again; without its history it does not fit.
  it.each([
    ['a plain record', () => certified({ executionId: 'renewed' })],
    ['one with metadata', () => certified({ executionId: 'renewed-metadata', metadata: { note: 'kept' } })],
    [
      'a hash',
      () =>
        recorded('/api/attest', {
          ...{ bundleType: 'hash-only-timestamp', version: '0.1', createdAt: null, snapshot: null },
          certificateHash: `sha256:${'b'.repeat(64)}`,
        }),
    ],
  ])('shows earlier attestations in public: %s', async (_, make) => {
    const hash = await make();
    const attestation = at(await publicAnswer(hash), 'cer', 'meta', 'attestation');
    await recertify({ certificateHashes: [hash] });
    expect(at(await publicAnswer(hash), 'cer', 'meta', 'attestationHistory')).toEqual([{ attestation }]);
  });

  it('changes nothing in a dry run', async () => {
    const hash = await certified({ executionId: 'dry' });
    const state = (): Promise<unknown> =>
      Promise.all([
        node.database.query('select * from records order by seq'),
        node.database.query('select * from audit_entries order by seq'),
      ]);
    const before = await state();
    const dryRun = await recertify({ certificateHashes: [hash, UNKNOWN], dryRun: true });
    expect(dryRun.body).toMatchObject({
      dryRun: true,
      auditSeq: null,
      results: [{ result: 'recertified' }, { result: 'failed', reason: 'there is no such record' }],
    });
    expect(await state()).toEqual(before);
  });

  it.each([
    ['one of a confidential execution', () => certified({ executionId: 'sealed', ...CONFIDENTIAL_MEMBERS })],
    [
      'one of raw content that the node did not store',
      () => recorded('/api/attest', sealedElsewhere({ snapshot: { instruction: 'never shown' } })),
    ],
  ])('gives a stored reseal its own receipt: %s', async (_, make) => {
    const hash = await make();
    const before = await publicAnswer(hash);
    expect((await recertify({ certificateHashes: [hash] })).body).toMatchObject({
      results: [{ result: 'recertified', reason: null }],
    });
    const after = await publicAnswer(hash);
    expect(at(after, 'resealedCertificateHash')).toEqual(textAt(before, 'resealedCertificateHash'));
    expect(await verified(at(after, 'cer'))).toMatchObject({
      findings: [],
      isResealed: true,
      provenance: { state: 'proven', originalCertificateHash: hash },
      signed: { kid: NEXT.kid },
    });
    expect(at(after, 'receipt')).toEqual(at(after, 'cer', 'meta', 'provenance', 'original', 'receipt'));
    expect((await recertify({ certificateHashes: [hash] })).body).toMatchObject({ results: [{ result: 'unchanged' }] });
  });

  it('exports earlier receipts of content it did not store', async () => {
    const owner = await node.newKey();
    const body = sealedElsewhere({ snapshot: { instruction: 'never shown' } });
    const hash = await recorded('/api/attest', body, owner);
    const tokens = [{ token: 'of the first receipt' }];
    await node.database.query(
      `update records set meta_json = json_set(meta_json, '$.timestamps', json('${JSON.stringify(tokens)}'))
       where certificate_hash = '${hash}'`,
    );
    const [before] = await receiptLines(owner);
    await recertify({ certificateHashes: [hash] });
    const [after] = await receiptLines(owner);
    expect(before).not.toHaveProperty('attestationHistory');
    const { receipt, signature, kid } = before ?? {};
    expect(after).toMatchObject({
      attestationHistory: [{ attestation: { receipt, signature, kid }, timestamps: tokens }],
    });
    expect(at(after, 'receipt', 'kid')).toBe(NEXT.kid);
  });

  it('attests a hash again as hash-only', async () => {
    const certificateHash = `sha256:${'a'.repeat(64)}`;
    const hash = await recorded('/api/attest', {
      ...{ bundleType: 'hash-only-timestamp', version: '0.1', createdAt: null, snapshot: null },
      certificateHash,
    });
    expect((await recertify({ certificateHashes: [hash] })).body).toMatchObject({
      results: [{ result: 'recertified' }],
    });
    const cer = at(await publicAnswer(hash), 'cer');
    expect(await verified(cer)).toMatchObject({
      receipt: { status: 'PASS' },
      isHashOnly: true,
      signed: { kid: NEXT.kid },
    });
  });

  it('refuses records changed in the database', async () => {
    const content = await certified({ executionId: 'changed', model: 'model-before' });
    const receipt = await certified({ executionId: 'forged' });
    await node.database.query(
      `update records set bundle_json = replace(bundle_json, 'model-before', 'model-after') where certificate_hash = '${content}'`,
    );
    await node.database.query(
      `update records set meta_json = replace(meta_json, '"signature":"', '"signature":"AAAA') where certificate_hash = '${receipt}'`,
    );
    expect((await recertify({ certificateHashes: [content, receipt] })).body).toMatchObject({
      results: [
        { certificateHash: content, result: 'failed', reason: 'certificateHash: does not recompute' },
        { certificateHash: receipt, result: 'failed', reason: 'receipt: does not verify' },
      ],
    });
  });

  it('processes filtered records and logs each act', async () => {
    const hash = await certified({ executionId: 'found' });
    const found = (body: object): Promise<Answer> => recertify({ filter: {}, ...body });
    const none = await found({ filter: { attestedBefore: '2020-01-01T00:00:00Z' } });
    expect(none.body).toMatchObject({ results: [], next: null });
    const old = await found({ filter: { envelopeVersionBelow: '0.16.1' }, dryRun: true });
    expect(JSON.stringify(old.body)).not.toContain(hash);
    const all = await found({ filter: { envelopeVersionBelow: '0.17.0' } });
    expect(at(all.body, 'results')).toContainEqual({ certificateHash: hash, result: 'recertified', reason: null });
    const [row] = await node.database.query('select entry_json from audit_entries order by seq desc limit 1');
    expect(JSON.parse(textAt(row, 'entry_json'))).toMatchObject({
      act: 'records.recertify',
      seq: at(all.body, 'auditSeq'),
      details: { filter: { envelopeVersionBelow: '0.17.0' }, after: 0 },
    });
  });

  it.each([
    ['more than 1000 hashes', { certificateHashes: Array.from({ length: 1001 }, () => UNKNOWN) }],
    ['neither hashes nor a filter', {}],
    ['both', { certificateHashes: [UNKNOWN], filter: {} }],
    ['no hash', { certificateHashes: ['nonsense'] }],
    ['an unknown member', { filter: { attestedBefor: '2020-01-01T00:00:00Z' } }],
    ['a cursor without a filter', { certificateHashes: [UNKNOWN], cursor: '1' }],
  ])('refuses %s', async (_, body) => {
    expect((await recertify(body)).status).toBe(400);
  });
});
