import { createHash, randomUUID } from 'node:crypto';

import type { NewRecord } from '../../src/store/index.js';

export function hashOf(content: string): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

/** A full record of an execution; `content` determines its certificate hash. */
export function newRecord({ content, ...members }: Partial<NewRecord> & { readonly content?: string } = {}): NewRecord {
  const executionId = members.executionId === undefined ? `run-${randomUUID()}` : members.executionId;
  return {
    tenantId: 'tenant-a',
    certificateHash: hashOf(content ?? executionId ?? randomUUID()),
    kind: 'full',
    bundleType: 'cer.ai.execution.v1',
    protocolVersion: '1.2.0',
    appId: null,
    provider: null,
    model: null,
    reviewedHash: null,
    attestationId: randomUUID(),
    attestedAt: '2026-01-02T03:04:05.678Z',
    kid: 'key-1',
    requestId: randomUUID(),
    bundleJson: '{"bundleType":"cer.ai.execution.v1","quote":"\\"\\\\ {},NULL"}',
    metaJson: '{"attestation":{}}',
    publicCerJson: null,
    resealedCertificateHash: null,
    createdAt: '2026-01-02T03:04:05Z',
    timestamp: '2026-01-02T03:04:05.000000001+01:00',
    commitmentSecretId: null,
    ...members,
    executionId,
  };
}

/** A hash-only record. */
export function hashOnlyRecord(members: Partial<NewRecord> & { readonly content?: string } = {}): NewRecord {
  return newRecord({ kind: 'hash-only', bundleJson: null, ...members, executionId: null });
}
