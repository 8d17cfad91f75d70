import type { JsonObject } from '@cer/canonical-json';
import { parseKeySet, type NodeKeySet } from '@cer/keys';
import { testKeySet, testSigner } from '@cer/keys/testing';
import { attestBundle, type Attestor } from '../attest/attest.js';
import { sha256 } from '../hash.js';
import { sealExecution, type SealedExecution } from '../seal/seal-execution.js';
import { deriveSalts } from '../commitments/commit.js';

// Fixed times, keys and ids: the same fixture has the same bytes on every machine.

export const TEST_NODE_ID = 'node-test';
export const TEST_TIME = '2026-01-02T03:04:05.678Z';
export const TEST_SIGNER = testSigner('active');
export const TEST_TENANT = 'tenant-test';
const COMMITMENT_SECRET = new Uint8Array(32).fill(7);

export const TEST_ATTESTOR: Attestor = {
  signer: TEST_SIGNER,
  nodeId: TEST_NODE_ID,
  nodeRuntimeHash: sha256('test runtime'),
};

/** A plain execution; override members to vary it. */
export function executionRequest(members: JsonObject = {}): JsonObject {
  return {
    executionId: 'exec-1',
    provider: 'example',
    model: 'example-1',
    input: 'What is a receipt?',
    output: 'A signed statement.',
    parameters: { temperature: 0 },
    createdAt: TEST_TIME,
    ...members,
  };
}

/** Members that protocol 1.3.1 requires beyond a plain execution. */
export const CONFIDENTIAL_MEMBERS: JsonObject = {
  protocolVersion: '1.3.1',
  prompt: 'Answer briefly.',
  parameters: { temperature: 0, maxTokens: 100, topP: null, seed: null },
};

export function sealed(members: JsonObject = {}): SealedExecution {
  return sealExecution(executionRequest(members), {
    createdAt: TEST_TIME,
    timestamp: null,
    executionId: 'exec-minted',
    saltsFor: (executionId) => deriveSalts(COMMITMENT_SECRET, TEST_TENANT, executionId),
  });
}

/** A bundle with receipt and envelope of the test node. */
export async function certified(members: JsonObject = {}): Promise<JsonObject> {
  return attested(sealed(members));
}

export async function attested(execution: SealedExecution, attestor: Attestor = TEST_ATTESTOR): Promise<JsonObject> {
  const meta = await attestBundle(execution, attestor, {
    attestationId: '11111111-2222-4333-8444-555555555555',
    attestedAt: TEST_TIME,
  });
  return { ...execution.bundle, meta: { ...meta } };
}

export function testKeys(): NodeKeySet {
  return parseKeySet(testKeySet({ nodeId: TEST_NODE_ID, signers: [{ signer: TEST_SIGNER }] }));
}
