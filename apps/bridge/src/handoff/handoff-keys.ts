import { createPublicKey, type KeyObject } from 'node:crypto';
import { JwksClient, JwksRateLimitError, SigningKeyNotFoundError } from 'jwks-rsa';
import { unavailable } from '../errors.js';

/** A key that the control plane withdrew is refused at most this much later. */
const MAX_AGE_MS = 5 * 60_000;
const MAX_KEYS = 16;
const REQUESTS_PER_MINUTE = 20;
const TIMEOUT_MS = 3000;

/**
 * Finds a key by its kid.
 * @returns null when nobody has it
 * @throws ServiceError SERVICE_UNAVAILABLE when the control plane cannot be asked
 */
export type HandoffKeys = (kid: string) => Promise<KeyObject | null>;

/**
 * The keys of handoff tokens, as the control plane publishes them. An unknown kid asks once more, and not for ever: a
 * flood of made-up kids never reaches the control plane, and leaves known keys alone.
 */
export function publishedHandoffKeys(controlPlaneUrl: string): HandoffKeys {
  const client = new JwksClient({
    jwksUri: `${controlPlaneUrl}/.well-known/jwks.json`,
    cache: true,
    cacheMaxEntries: MAX_KEYS,
    cacheMaxAge: MAX_AGE_MS,
    rateLimit: true,
    jwksRequestsPerMinute: REQUESTS_PER_MINUTE,
    timeout: TIMEOUT_MS,
  });
  return async (kid) => {
    try {
      return createPublicKey((await client.getSigningKey(kid)).getPublicKey());
    } catch (error) {
      if (error instanceof SigningKeyNotFoundError || error instanceof JwksRateLimitError) return null;
      throw unavailable('Sign-in cannot be checked now: retry', error);
    }
  };
}
