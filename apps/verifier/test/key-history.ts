import { historyKeyOf, TEST_NODE_ID, TEST_SIGNER, TestKeyHistory } from '@cer/cer-core/testing';
import { testSigner } from '@cer/keys/testing';

/** The history of the stub node: the key that signs today, and a retired and a revoked one before it. */
export function nodeHistory(): TestKeyHistory {
  const [first, stolen] = [testSigner('first'), testSigner('stolen')];
  return new TestKeyHistory({ nodeId: TEST_NODE_ID, signer: first })
    .add({ type: 'key-added', key: historyKeyOf(stolen) })
    .add({ type: 'key-activated', kid: stolen.kid })
    .add({ type: 'key-retired', kid: first.kid, retiredAt: '2026-01-04T00:00:00.000Z' })
    .add({ type: 'key-added', key: historyKeyOf(TEST_SIGNER) })
    .add({ type: 'key-activated', kid: TEST_SIGNER.kid })
    .add({
      type: 'key-revoked',
      kid: stolen.kid,
      revokedAt: '2026-01-08T00:00:00.000Z',
      reason: 'keyCompromise',
      compromisedSince: '2026-01-06T00:00:00.000Z',
    });
}

/** The same history after the key of today was revoked. */
export function historyAfterRevocation(): TestKeyHistory {
  return nodeHistory().add({
    type: 'key-revoked',
    kid: TEST_SIGNER.kid,
    revokedAt: '2026-01-01T00:00:00.000Z',
    reason: 'superseded',
  });
}
