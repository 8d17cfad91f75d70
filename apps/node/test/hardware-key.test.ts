import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { evaluateCer } from '@cer/cer-core';
import { executionRequest, TEST_NODE_ID } from '@cer/cer-core/testing';
import { parseKeySet, verifySignature, type Signer } from '@cer/keys';
import { SIGNER_RULES, testKeySet, testSigner } from '@cer/keys/testing';
import { connectToken } from '@cer/pkcs11';
import { describeWithToken, makeToken, type TestToken } from '@cer/pkcs11/testing';

import type { HeldKey, SigningKeyHolder } from '../src/signing-keys/key-holder.js';
import { pkcs11KeyHolder } from '../src/signing-keys/pkcs11-key-holder.js';
import { fixedSigning } from '../src/signing-keys/signing.js';
import { ask, objectAt, type Answer } from './ask.js';
import { startTestNode, type TestNode } from './test-node.js';

const message = new TextEncoder().encode('receipt');
const away = { name: 'SignerAwayError', message: 'the hardware token is away' };

function holderOf({ address, environment }: TestToken): SigningKeyHolder {
  return pkcs11KeyHolder(connectToken(address, { environment, reopenAfterMs: 0 }), () => new Date());
}

describeWithToken('the holder of keys on a hardware token', () => {
  let hsm: TestToken;
  let holder: SigningKeyHolder;
  let key: HeldKey;
  let signer: Signer;
  beforeAll(async () => {
    hsm = makeToken();
    holder = holderOf(hsm);
    key = await holder.create();
    signer = await holder.open(key);
  });
  afterAll(async () => {
    await holder.close();
    hsm.remove();
  });

  it.each(SIGNER_RULES)('opens a signer that $sentence', async ({ holds }) => {
    expect(await holds(signer)).toBe(true);
  });

  it('opens on one node what another node made', async () => {
    const other = holderOf(hsm);
    try {
      const opened = await other.open(key);
      expect(await verifySignature(key.publicKey, message, await opened.sign(message))).toBe(true);
    } finally {
      await other.close();
    }
  });

  it('opens no key that it does not hold, and none under another public key', async () => {
    const { kid, publicKey } = testSigner('elsewhere');
    const reason = { name: 'SignerAwayError', message: expect.stringContaining('not on the hardware token') };
    await expect(holder.open({ kid, publicKey, reference: key.reference })).rejects.toMatchObject(reason);
    const published = { name: 'SignerAwayError', message: expect.stringContaining('another key') };
    await expect(holder.open({ ...key, publicKey })).rejects.toMatchObject(published);
  });

  it('erases for good, and twice is no error', async () => {
    const gone = await holder.create();
    const opened = await holder.open(gone);
    await holder.erase(gone);
    await holder.erase(gone);
    await expect(holder.open(gone)).rejects.toMatchObject({ name: 'SignerAwayError' });
    await expect(opened.sign(message)).rejects.toMatchObject({ name: 'SignerAwayError' });
  });

  it('says that the token is away, whatever is asked, and recovers', async () => {
    hsm.pullOut();
    await expect(signer.sign(message)).rejects.toMatchObject(away);
    await expect(holder.open(key)).rejects.toMatchObject(away);
    await expect(holder.create()).rejects.toMatchObject(away);
    await expect(holder.erase(key)).rejects.toMatchObject(away);
    hsm.plugIn();
    expect(await signer.sign(message)).toHaveLength(64);
  });
});

describeWithToken('a node whose signing key is on a hardware token', () => {
  let hsm: TestToken;
  let holder: SigningKeyHolder;
  let node: TestNode;
  let apiKey: string;
  let signer: Signer;
  beforeAll(async () => {
    hsm = makeToken();
    holder = holderOf(hsm);
    signer = await holder.open(await holder.create());
    const document = testKeySet({ nodeId: TEST_NODE_ID, signers: [{ signer }] });
    node = await startTestNode({
      replace: ({ runtime }) => ({
        signing: fixedSigning({ signer, nodeId: TEST_NODE_ID, nodeRuntimeHash: runtime.hash }, document),
      }),
    });
    apiKey = await node.newKey();
  });
  afterAll(async () => {
    await node.close();
    await holder.close();
    hsm.remove();
  });

  const certify = (executionId: string): Promise<Answer> =>
    ask(node, 'post', '/v1/cer/ai/certify', { key: apiKey, body: executionRequest({ executionId }) });

  async function expectCertified(executionId: string): Promise<void> {
    const { status, body } = await certify(executionId);
    expect(status).toBe(200);
    const keySet = parseKeySet(testKeySet({ nodeId: TEST_NODE_ID, signers: [{ signer }] }));
    const keys = { keySet, verifiedAt: new Date().toISOString() };
    expect(await evaluateCer(objectAt(body, 'cer'), keys)).toMatchObject({ status: 'VERIFIED', findings: [] });
  }

  it('is not ready while the token is away, certifies and stores nothing then, and recovers by itself', async () => {
    const executionId = randomUUID();
    hsm.pullOut();
    const ready = await ask(node, 'get', '/ready');
    expect(ready.status).toBe(503);
    expect(ready.body).toEqual({ status: 'not ready', reasons: ['signer: the hardware token is away'] });
    const refused = await certify(executionId);
    expect(refused.status).toBe(500);
    expect(refused.body).toMatchObject({ error: 'ATTESTATION_ERROR' });
    expect(refused.text).not.toMatch(/CKR_|PKCS11|token|module/);
    expect(await node.store.hasRecords()).toBe(false);
    hsm.plugIn();
    expect((await ask(node, 'get', '/ready')).status).toBe(200);
    // What was refused left nothing behind under its id.
    await expectCertified(executionId);
  });

  it('tells nobody the PIN, neither in answers nor in its log', async () => {
    hsm.writePin('8264-wrong');
    hsm.pullOut();
    await certify(randomUUID());
    hsm.plugIn();
    const ready = await ask(node, 'get', '/ready');
    expect(ready.body).toMatchObject({ reasons: ['signer: the hardware token refuses the PIN'] });
    expect((await certify(randomUUID())).body).toMatchObject({ error: 'ATTESTATION_ERROR' });
    hsm.writePin(hsm.pin);
    await expectCertified(randomUUID());
    const said = node.log.join('\n');
    expect(said).toContain('PKCS11_PIN_REFUSED');
    expect(said).not.toMatch(new RegExp(`8264-wrong|${hsm.pin}`));
  });
});
