// Helpers of all journeys.
import { randomUUID } from 'node:crypto';

export const CERTIFY = '/v1/cer/ai/certify';

/** The hash of no record. */
export const UNKNOWN = `sha256:${'0'.repeat(64)}`;

/** The members that a confidential execution has beside the others. */
export const CONFIDENTIAL = {
  protocolVersion: '1.3.1',
  prompt: 'p',
  parameters: { temperature: 0, maxTokens: 1, topP: null, seed: null },
};

/** A certify request with a new id. */
export function execution(members = {}) {
  return {
    executionId: randomUUID(),
    provider: 'example',
    model: 'example-1',
    input: 'in',
    output: 'out',
    createdAt: '2026-01-02T03:04:05.678Z',
    ...members,
  };
}
