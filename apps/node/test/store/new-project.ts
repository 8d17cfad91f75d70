import { randomUUID } from 'node:crypto';

import type { ProjectRegistration } from '../../src/store/index.js';
import { hashOf } from './new-record.js';

/** A registration of a project with two steps. */
export function newProject(members: Partial<ProjectRegistration> = {}): ProjectRegistration {
  return {
    tenantId: 'tenant-a',
    projectHash: hashOf(randomUUID()),
    registeredAt: '2026-01-02T03:04:05.678Z',
    totalSteps: 2,
    projectJson: '{"projectTitle":"t"}',
    stepHashes: [
      { stepId: 'b', certificateHash: hashOf('b') },
      { stepId: 'a', certificateHash: hashOf('a') },
    ],
    receiptJson: '{}',
    signature: 'signature',
    kid: 'key-1',
    requestId: randomUUID(),
    ...members,
  };
}
