import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isJsonObject, type JsonObject } from '@cer/canonical-json';
import { sha256 } from '@cer/cer-core';
import { timestampDigest, timestampedText } from '@cer/cer-core/attest';
import { evaluateCer, toReport, type Evaluation } from '@cer/cer-core/verify';
import { certified, TEST_NODE_ID, TEST_SIGNER, TEST_TIME } from '@cer/cer-core/testing';
import { encodeBase64, parseKeySet } from '@cer/keys';
import { buildMerkleTree } from '@cer/tlog/merkle';
import { testKeySet } from '@cer/keys/testing';
import { formatTimestampRequest } from './request.js';
import { parseTimestampResponse } from './response.js';
import { parseTsaRoots } from './roots.js';
import { createOpensslTsa, type OpensslTsa } from './testing/index.js';
import { createTimestampVerifier } from './verifier.js';

const LATER = '2099-01-01T00:00:00Z';
const EARLIER = '2026-01-03T00:00:00Z';

describe('a record under a revoked key', () => {
  let tsa: OpensslTsa;
  let bundle: JsonObject;
  let receiptDigest: Uint8Array;

  beforeAll(async () => {
    tsa = createOpensslTsa();
    bundle = await certified();
    const { receipt, signature } = attestationOf(bundle);
    if (!isJsonObject(receipt) || typeof signature !== 'string') throw new Error('a certified bundle has a receipt');
    receiptDigest = timestampDigest(timestampedText(receipt, signature));
  });
  afterAll(() => {
    tsa.remove();
  });

  const tokenOver = async (imprint: Uint8Array): Promise<string> =>
    encodeBase64(parseTimestampResponse(await tsa.reply(formatTimestampRequest({ imprint, nonce: Uint8Array.of(7) }))));
  const withTokens = (...timestamps: JsonObject[]): JsonObject => {
    const { meta } = bundle;
    return { ...bundle, meta: { ...(isJsonObject(meta) ? meta : {}), timestamps } };
  };
  const verify = (subject: JsonObject, life: object): Promise<Evaluation> =>
    evaluateCer(subject, {
      keySet: parseKeySet(
        testKeySet({ nodeId: TEST_NODE_ID, signers: [{ signer: TEST_SIGNER, status: 'revoked', ...life }] }),
      ),
      timestamps: createTimestampVerifier(parseTsaRoots(tsa.rootPem)),
      verifiedAt: TEST_TIME,
    });

  it('is verified by a token older than the compromise', async () => {
    const subject = withTokens({ type: 'rfc3161', token: await tokenOver(receiptDigest) });
    const life = { revokedAt: LATER, compromisedSince: LATER, revocationReason: 'keyCompromise' };
    expect(toReport(await verify(subject, life), 'test/1')).toMatchObject({
      status: 'VERIFIED',
      timestamp: { type: 'rfc3161', status: 'verified', covers: 'receipt', provider: 'Test TSA' },
      keyRescue: { before: 'compromisedSince', limit: LATER },
    });
    for (const lost of [
      { ...life, compromisedSince: EARLIER },
      { revokedAt: LATER, revocationReason: 'keyCompromise' },
    ]) {
      expect((await verify(subject, lost)).code).toBe('KEY_REVOKED');
    }
  });

  it('is verified by its inclusion in a batch', async () => {
    const tree = buildMerkleTree([timestampDigest('another'), receiptDigest, timestampDigest('a third')]);
    const path = tree.inclusionPath(1).map((hash) => `sha256:${Buffer.from(hash).toString('hex')}`);
    const token = await tokenOver(tree.root);
    const inBatch = (leafIndex: number): JsonObject =>
      withTokens({ type: 'rfc3161', token, inclusion: { treeSize: 3, leafIndex, path } });
    expect((await verify(inBatch(1), { revokedAt: LATER })).keyRescue).toMatchObject({ before: 'revokedAt' });
    expect((await verify(inBatch(0), { revokedAt: LATER })).code).toBe('KEY_REVOKED');
  });

  it('is not verified without a token over its receipt', async () => {
    const content = await tokenOver(timestampDigest(attestationOf(bundle)['certificateHash'] as string));
    const other = await tokenOver(timestampDigest(sha256('another record')));
    expect((await verify(bundle, { revokedAt: LATER })).code).toBe('KEY_REVOKED');
    const ofContent = await verify(withTokens({ type: 'rfc3161', token: content }), { revokedAt: LATER });
    expect(ofContent).toMatchObject({ code: 'KEY_REVOKED', timestamp: { status: 'verified', covers: 'content' } });
    const pasted = await verify(withTokens({ type: 'rfc3161', status: 'verified', token: other }), {
      revokedAt: LATER,
    });
    expect(pasted).toMatchObject({ code: 'KEY_REVOKED', timestamp: { status: 'invalid' } });
  });
});

function attestationOf({ meta }: JsonObject): JsonObject {
  const attestation = isJsonObject(meta) ? meta['attestation'] : undefined;
  if (!isJsonObject(attestation)) throw new Error('a certified bundle has an attestation');
  return attestation;
}
