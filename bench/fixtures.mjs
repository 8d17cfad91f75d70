// Bundles of the measured sizes: unsorted members, mixed signals, some non-ASCII text.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256 } from '@cer/cer-core';
import { attestBundle } from '@cer/cer-core/attest';
import { sealExecution } from '@cer/cer-core/seal';
import { parseKeySet } from '@cer/keys';
import { createKeyFile } from '@cer/keys/testing/key-file';

const folder = mkdtempSync(join(tmpdir(), 'cer-bench-'));
const { signer, keySet: keySetDocument } = createKeyFile(join(folder, 'keys.json'), {
  nodeId: 'bench-node',
  now: new Date('2026-01-01T00:00:00.000Z'),
});
rmSync(folder, { recursive: true });
const attestor = { signer, nodeId: 'bench-node', nodeRuntimeHash: sha256('bench') };
export const keySet = parseKeySet(keySetDocument);

const TIME = '2026-01-02T03:04:05.678Z';

function signal(index) {
  return {
    type: index % 3 === 0 ? 'policy.check' : 'tool.call',
    source: 'bench-suite',
    step: index,
    payload: {
      zeta: index * 1.5,
      alpha: `Schritt ${index}: geprüft, für gut befunden – 確認済み`,
      nested: { ok: index % 2 === 0, score: index / 7, labels: ['a', 'b', `c${index}`] },
      note: 'The quick brown fox jumps over the lazy dog "twice".',
    },
  };
}

/** A sealed execution whose JSON has about this many bytes. */
export function sealedOfSize(bytes, executionId = 'bench-1', protocolVersion = '1.3.0') {
  const signals = [];
  const seal = () =>
    sealExecution(
      {
        protocolVersion,
        executionId,
        provider: 'example',
        model: 'example-large-2',
        input: 'What does a certificate prove?',
        output: 'That this content was described, at this time, by this node.',
        parameters: { temperature: 0.2, maxTokens: 512, topP: 0.95, seed: 42 },
        appId: 'bench',
        signals,
      },
      {
        createdAt: TIME,
        timestamp: null,
        executionId,
        saltsFor: () => {
          throw new Error('no commitments here');
        },
      },
    );
  let sealed = seal();
  const one = JSON.stringify(signal(1)).length;
  const missing = bytes - JSON.stringify(sealed.bundle).length;
  for (let index = 0; index < missing / one; index += 1) signals.push(signal(index));
  if (signals.length > 0) sealed = seal();
  return sealed;
}

export async function certifiedOfSize(bytes, executionId, protocolVersion) {
  const sealed = sealedOfSize(bytes, executionId, protocolVersion);
  const meta = await attestBundle(sealed, attestor, {
    attestationId: '11111111-2222-4333-8444-555555555555',
    attestedAt: TIME,
  });
  return { ...sealed.bundle, meta: { ...meta } };
}

/** Only the hashed members, parsed again so that engine optimizations from sealing do not apply. */
export function hashedMembers(sealed) {
  return JSON.parse(JSON.stringify(sealed.hashed.projection));
}

export const SIZES = [
  ['1 KB', 1024],
  ['20 KB', 20 * 1024],
  ['1 MB', 1024 * 1024],
];
