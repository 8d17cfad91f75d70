import { randomUUID } from 'node:crypto';
import { renameSync } from 'node:fs';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { evaluateCer } from '@cer/cer-core/verify';
import { executionRequest, TEST_NODE_ID } from '@cer/cer-core/testing';
import { parseKeySet, type Signer } from '@cer/keys';
import { testKeySet, testSigner } from '@cer/keys/testing';
import { connectToken } from '@cer/pkcs11';
import { describeWithToken, makeToken, TOKEN_LABEL, type TestToken } from '@cer/pkcs11/testing';
import { sqliteTestDatabase, type TestDatabase } from '@cer/sql-store/testing';

import type { HeldKey, SigningKeyHolder } from '../src/signing/key-holder.js';
import { pkcs11KeyHolder } from '../src/signing-keys/pkcs11-key-holder.js';
import { fixedSigning } from '../src/testing/fixed-signing.js';
import { ask, objectAt, type Answer } from './ask.js';
import { premisesOn, runNode, startNodeProcess, type NodeEnvironment, type Premises } from './node-process.js';
import { startTestNode, type TestNode } from './test-node.js';
import { keyHolderContract } from './signing-keys/key-holder.contract.js';

const message = new TextEncoder().encode('receipt');
const away = { name: 'SignerAwayError', message: 'the hardware token is absent' };

function holderOf({ address, environment }: TestToken): SigningKeyHolder {
  const patient = { environment, reopenAfterMs: 0, timeoutMs: 60_000 };
  return pkcs11KeyHolder(connectToken(address, patient), () => new Date());
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

  describe('as a key holder', () => {
    keyHolderContract(() => holderOf(hsm));
  });

  it('does not open unknown or mismatched keys', async () => {
    const { kid, publicKey } = testSigner('elsewhere');
    const reason = { name: 'SignerAwayError', message: expect.stringContaining('not on the hardware token') };
    await expect(holder.open({ kid, publicKey, reference: key.reference })).rejects.toMatchObject(reason);
    const published = { name: 'SignerAwayError', message: expect.stringContaining('another key') };
    await expect(holder.open({ ...key, publicKey })).rejects.toMatchObject(published);
  });

  it('erases permanently and idempotently', async () => {
    const gone = await holder.create();
    const opened = await holder.open(gone);
    await holder.erase(gone);
    await holder.erase(gone);
    await expect(holder.open(gone)).rejects.toMatchObject({ name: 'SignerAwayError' });
    await expect(opened.sign(message)).rejects.toMatchObject({ name: 'SignerAwayError' });
  });

  it('reports an absent token and recovers', async () => {
    hsm.pullOut();
    await expect(signer.sign(message)).rejects.toMatchObject(away);
    await expect(holder.open(key)).rejects.toMatchObject(away);
    await expect(holder.create()).rejects.toMatchObject(away);
    await expect(holder.erase(key)).rejects.toMatchObject(away);
    hsm.plugIn();
    expect(await signer.sign(message)).toHaveLength(64);
  });
});

describeWithToken('a node with a hardware key', () => {
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

  it('is not ready without its token and recovers', async () => {
    const executionId = randomUUID();
    hsm.pullOut();
    const ready = await ask(node, 'get', '/ready');
    expect(ready.status).toBe(503);
    expect(ready.body).toEqual({ status: 'not ready', reasons: ['signer: the hardware token is absent'] });
    const refused = await certify(executionId);
    expect(refused.status).toBe(500);
    expect(refused.body).toMatchObject({ error: 'ATTESTATION_ERROR' });
    expect(refused.text).not.toMatch(/CKR_|PKCS11|token|module/);
    expect(await node.store.hasRecords()).toBe(false);
    hsm.plugIn();
    expect((await ask(node, 'get', '/ready')).status).toBe(200);
    // Refused requests stored nothing under their id.
    await expectCertified(executionId);
  });

  it('never shows the PIN in responses or logs', async () => {
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

describeWithToken('a node configured with a hardware token', () => {
  let hsm: TestToken;
  let premises: Premises;
  let database: TestDatabase;
  beforeEach(async () => {
    hsm = makeToken();
    database = await sqliteTestDatabase();
    premises = await premisesOn(database, 'pkcs11');
  });
  afterEach(async () => {
    premises.remove();
    await database.remove();
    hsm.remove();
  });

  const environment = (): NodeEnvironment => ({
    ...premises.env,
    SIGNER: 'pkcs11',
    PKCS11_MODULE: hsm.address.modulePath,
    PKCS11_TOKEN_LABEL: TOKEN_LABEL,
    PKCS11_PIN_FILE: hsm.address.pinFile,
    SOFTHSM2_CONF: hsm.environment['SOFTHSM2_CONF'] ?? '',
    ADMIN_SECRET: 'admin secret of tests',
    KEY_SET_MAX_AGE_S: '0',
  });

  async function keysOnToken(): Promise<string[]> {
    const token = connectToken(hsm.address, { environment: hsm.environment, timeoutMs: 60_000 });
    try {
      return (await token.listKeys()).map(({ kid }) => kid);
    } finally {
      token.close();
    }
  }

  it('creates, uses and rotates keys there across restarts', async () => {
    const node = await startNodeProcess(environment());
    const { activeKid } = objectAt((await ask(node, 'get', '/.well-known/svc-node.json')).body);
    expect(await keysOnToken()).toEqual([activeKid]);
    const certify = { key: premises.key, body: executionRequest({ executionId: randomUUID() }) };
    const { status, body } = await ask(node, 'post', '/v1/cer/ai/certify', certify);
    expect(status).toBe(200);
    expect(objectAt(body, 'cer', 'meta', 'attestation')).toMatchObject({ kid: activeKid });
    const rotated = await ask(node, 'post', '/v1/admin/keys/rotate', {
      headers: { 'x-admin-secret': 'admin secret of tests' },
      body: {},
    });
    expect(rotated.status).toBe(200);
    expect(await keysOnToken()).toHaveLength(2);
    node.kill('SIGTERM');
    expect((await node.ended).code).toBe(0);

    // The token is absent at start and is plugged in later.
    hsm.pullOut();
    const again = await startNodeProcess(environment());
    expect((await ask(again, 'get', '/ready')).status).toBe(503);
    hsm.plugIn();
    await readyAgain(again);
    again.kill('SIGTERM');
    const { code, stdout, stderr } = await again.ended;
    expect(code).toBe(0);
    expect(`${node.stdout()}${stdout}${stderr}`).not.toContain(hsm.pin);
  });

  it('does not sign under the name of another node', async () => {
    const node = await startNodeProcess(environment());
    node.kill('SIGTERM');
    expect((await node.ended).code).toBe(0);
    const { KEYS_FILE: keysFile = '' } = premises.env;
    renameSync(keysFile, `${keysFile}.lost`);
    // What a missing file suggests for a new node. The keys on the token open with any file.
    expect((await runNode(['init'], { ...environment(), NODE_ID: 'node-other' })).code).toBe(0);
    for (const args of [['restore', 'accept'], []]) {
      const { code, stderr } = await runNode(args, environment());
      expect([code, stderr.trim()]).toEqual([1, expect.stringMatching(/^KEYS_FILE: .*another node/)]);
    }
  });

  it('does not start the first time without its token', async () => {
    hsm.pullOut();
    const { code, stderr } = await runNode([], environment());
    expect(code).not.toBe(0);
    expect(stderr).toContain('the hardware token is absent');
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});

/** A node accesses its token at most once per second. */
async function readyAgain(node: { readonly url: string }): Promise<void> {
  while ((await ask(node, 'get', '/ready')).status !== 200) await new Promise((resolve) => setTimeout(resolve, 50));
}
