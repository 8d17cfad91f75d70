import type { JsonValue } from '@cer/canonical-json';
import {
  evaluateCer,
  evaluateProject,
  toNodeVerifyResponse,
  toProjectVerifyResponse,
  type NodeVerifyResponse,
  type ProjectVerifyResponse,
  type TimestampVerifier,
} from '@cer/cer-core/verify';
import type { NodeKeySet } from '@cer/keys';
import { submittedBundle } from './submitted-bundle.js';

export interface VerifySubmittedDeps {
  readonly keySet: NodeKeySet;
  readonly timestamps: TimestampVerifier | null;
  readonly now: () => Date;
}

/** Pause between batches of steps, so that a large project does not delay other requests. */
export const breathe = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

/** @throws ServiceError VALIDATION_ERROR. @see docs/spec.md, "POST /v1/cer/verify" */
export async function verifySubmitted(
  { now, ...options }: VerifySubmittedDeps,
  body: JsonValue,
): Promise<NodeVerifyResponse> {
  return toNodeVerifyResponse(
    await evaluateCer(submittedBundle(body), { ...options, verifiedAt: now().toISOString() }),
  );
}

/** @throws ServiceError VALIDATION_ERROR. @see docs/spec.md, "POST /v1/project-bundle/verify" */
export async function verifySubmittedProject(
  { now, ...options }: VerifySubmittedDeps,
  body: JsonValue,
): Promise<ProjectVerifyResponse> {
  const evaluating = { ...options, verifiedAt: now().toISOString(), onProgress: breathe };
  return toProjectVerifyResponse(await evaluateProject(submittedBundle(body), evaluating));
}
