// The node without storage: the difference from the real node is the cost of durability (G4).
import { createHash } from 'node:crypto';
import { createLogger, createMetrics, serve } from '@cer/http-service/process';
import { sha256 } from '@cer/cer-core';
import { testKeySet, testSigner } from '@cer/keys/testing';
import { createKeyFile } from '@cer/keys/testing/key-file';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../apps/node/dist/start/app.js';
import { fixedSigning } from '../../apps/node/dist/testing/fixed-signing.js';

const key = process.env.BENCH_API_KEY;
const keyHash = createHash('sha256').update(key).digest('hex');
const caller = {
  tenantId: 'bench',
  keyId: 'bench',
  scopes: new Set(['certify']),
  publish: { context: true, prompt: false, instruction: false, metadata: 'none' },
};
const folder = mkdtempSync(join(tmpdir(), 'cer-bench-'));
const { signer, nodeId } = createKeyFile(join(folder, 'keys.json'), { nodeId: 'bench-node', now: new Date() });
// At once: this server ends by SIGKILL.
rmSync(folder, { recursive: true });
const app = createApp({
  store: {
    records: { expectRecord: () => () => undefined, recordOnce: async () => ({ recorded: true }) },
    ping: async () => undefined,
  },
  refusals: { counting: (_tenantId, work) => work((request) => request) },
  restored: { assertAccepted: async () => undefined },
  quota: { admit: (_tenantId, _limits, { write }) => write() },
  keys: { find: async (hash) => (hash === keyHash ? caller : null) },
  signing: fixedSigning(
    { signer, nodeId, nodeRuntimeHash: sha256('bench') },
    testKeySet({ nodeId, signers: [{ signer: testSigner('unused') }] }),
  ),
  secrets: { activeId: 'none', has: () => true, secretOf: () => new Uint8Array(32) },
  render: { renderer: null, maxTotalFrames: 1800, allowOpenRender: false },
  runtime: { facts: {}, version: '0', hash: sha256('bench') },
  verifyUrl: 'http://127.0.0.1',
  logger: createLogger({ service: 'bench', level: 'warn' }),
  metrics: createMetrics(),
  now: () => new Date(),
  bodyLimitBytes: 2 ** 20,
  batchLimitBytes: 2 ** 20,
  verifyLimitBytes: 12 * 2 ** 20,
  projectLimitBytes: 2 ** 20,
  projectVerifyLimitBytes: 2 ** 20,
});
await serve(app, {
  host: '127.0.0.1',
  port: Number(process.env.PORT),
  logger: createLogger({ service: 'bench', level: 'warn' }),
});
