import { READY_WITHIN_MS, settleWithin, sharedWhileRunning } from '@cer/http-service';
import { StoreRestoredError, StoreUnwritableError } from '../store/index.js';
import { SignerAwayError } from '../signing/key-holder.js';

/** Conditions for receiving requests, by name. */
export type ReadinessChecks = Readonly<Record<string, () => Promise<void>>>;

/**
 * Runs all checks concurrently. Concurrent requests share the result, because the route is public and each check loads
 * the database or the signer.
 * @returns a function that resolves with one reason for each check that fails, or that takes too long
 * @see docs/spec.md, "GET /ready"
 */
export function createReadiness(checks: ReadinessChecks, withinMs = READY_WITHIN_MS): () => Promise<string[]> {
  const asked = Object.entries(checks).map(([name, check]) => {
    const shared = sharedWhileRunning(check);
    return () => reasonOf(name, shared, withinMs);
  });
  return async () => {
    const reasons = await Promise.all(asked.map((ask) => ask()));
    return reasons.filter((reason) => reason !== null);
  };
}

function isPublic(error: unknown): error is Error {
  return (
    error instanceof SignerAwayError || error instanceof StoreUnwritableError || error instanceof StoreRestoredError
  );
}

/** Only the name, except for public reasons: an error may quote an address, and the route is public. */
async function reasonOf(name: string, check: () => Promise<void>, withinMs: number): Promise<string | null> {
  try {
    await settleWithin(check(), withinMs, () => new Error('the check takes too long'));
    return null;
  } catch (error) {
    return `${name}: ${isPublic(error) ? error.message : 'is not available'}`;
  }
}
