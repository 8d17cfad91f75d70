// A separate node from the store's point of view: records until it is killed or done, and prints acknowledged records.
// node recording-process.mjs DATABASE_URL PREFIX COUNT IN_THREAD Each process of a race gets the same PREFIX; COUNT may be
// Infinity. A line of stdout is an executionId and its certificate hash, written only after the store
// resolved.
import { createHash, randomUUID } from 'node:crypto';
import { openStore } from '../../dist/store/index.js';

const IN_FLIGHT = 32;
const [databaseUrl, prefix, count, inThread] = process.argv.slice(2);
const store = await openStore({
  databaseUrl,
  queueLimit: 1_000,
  writerThread: inThread === 'true' ? {} : undefined,
});
let next = 0;

async function record() {
  while (next < Number(count)) {
    const executionId = `${prefix}-${next++}`;
    const own = `sha256:${createHash('sha256').update(randomUUID()).digest('hex')}`;
    const outcome = await store.records.recordOnce({
      ...{ tenantId: 'tenant-a', executionId, certificateHash: own, kind: 'full', bundleType: 'cer.ai.execution.v1' },
      ...{
        protocolVersion: '1.2.0',
        appId: null,
        provider: null,
        model: null,
        reviewedHash: null,
        attestationId: randomUUID(),
        attestedAt: '2026-01-02T03:04:05.678Z',
      },
      ...{
        kid: 'key-1',
        requestId: randomUUID(),
        bundleJson: JSON.stringify({ filler: 'x'.repeat(2_000) }),
        metaJson: '{}',
      },
      ...{
        publicCerJson: null,
        resealedCertificateHash: null,
        commitmentSecretId: null,
        createdAt: 'c',
        timestamp: 't',
      },
    });
    process.stdout.write(`${executionId} ${outcome.recorded ? own : outcome.existing.certificateHash}\n`);
  }
}

await Promise.all(Array.from({ length: IN_FLIGHT }, record));
await store.close();
