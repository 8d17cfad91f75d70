import type { LargeWork } from '../large-work/large-work.js';
import { largeResponse } from '../large-work/large-answer.js';
import { isLarge } from '../large-work/large-body.js';
import type { LargeVerifyKind } from '../large-work/large-job.js';
import type { LargeHandler } from '../limits/verify-budget.js';

/** Verifies large bodies in threads; undefined without threads. */
export function largeChecks(
  kind: LargeVerifyKind,
  largeWork: Pick<LargeWork, 'verify'> | undefined,
): LargeHandler | undefined {
  if (largeWork === undefined) return undefined;
  return {
    isFor: isLarge,
    handler: async (request, began) => largeResponse(await largeWork.verify(kind, request, began)),
  };
}
