import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Attestor } from '@cer/cer-core/attest';
import { TEST_NODE_ID, TEST_SIGNER } from '@cer/cer-core/testing';
import type { Signer } from '@cer/keys';
import { testKeySet, testSigner } from '@cer/keys/testing';
import { ask, textAt } from '../../../apps/node/test/ask.js';
import { sealedElsewhere } from '../../../apps/node/test/sealed-elsewhere.js';
import type { PublishedKeys } from '../../../apps/node/src/signing/signing.js';
import { fixedSigning } from '../../../apps/node/src/testing/fixed-signing.js';
import { LoggedOperator } from './logged-operator.js';

// Packages of an honest node whose records change between two epochs, or while the package is written.

const HASH = 'certificateHash';
const HOUR_MS = 3_600_000;
const NEXT = testSigner('next');
const KEY_SET = testKeySet({ nodeId: TEST_NODE_ID, signers: [{ signer: TEST_SIGNER }, { signer: NEXT }] });
const operator = new LoggedOperator();
let active: Signer = TEST_SIGNER;

beforeAll(async () => {
  await operator.open({
    replace: ({ signing, runtime }) => {
      const attestor = (): Attestor => ({ signer: active, nodeId: TEST_NODE_ID, nodeRuntimeHash: runtime.hash });
      const published = (): PublishedKeys => fixedSigning(attestor(), KEY_SET).published();
      return { signing: { ...signing, published, attestorAt: async () => attestor() } };
    },
  });
});
afterAll(() => operator.close());

async function endEpoch(): Promise<void> {
  operator.aheadMs += HOUR_MS;
  await operator.integrate();
}

it('proves the records of the snapshot, however late it ends', async () => {
  const account = await operator.account();
  await operator.node.certify({}, account.key);
  await endEpoch();
  const { recordList } = operator.node.node.store;
  const all = recordList.all.bind(recordList);
  recordList.all = async function* (...asked) {
    recordList.all = all;
    yield* all(...asked);
    await operator.node.certify({}, account.key);
    await endEpoch();
  };
  const report = await operator.package(account);
  expect(report).toMatchObject({ status: 'VERIFIED', findings: [], log: { status: 'proven', numbers: [1, 1] } });
  expect(await operator.package(account)).toMatchObject({ log: { status: 'proven', numbers: [1, 2] } });
});

it('proves a record again whose content is not stored', async () => {
  const account = await operator.account();
  active = TEST_SIGNER;
  const body = sealedElsewhere({ snapshot: { instruction: 'never shown' } });
  const hash = textAt((await ask(operator.node.node, 'post', '/api/attest', { key: account.key, body })).body, HASH);
  await endEpoch();
  expect(await operator.package(account)).toMatchObject({ findings: [], log: { status: 'proven', numbers: [1, 2] } });
  active = NEXT;
  await operator.recertify(hash);
  await endEpoch();
  const report = await operator.package(account);
  expect(report).toMatchObject({ status: 'VERIFIED', findings: [], log: { status: 'proven', numbers: [1, 4] } });
});
