import { unavailable } from '@cer/http-service';
import { createPublicKey, type KeyObject } from 'node:crypto';
import { JwksClient } from 'jwks-rsa';

/** A key that the control plane withdrew is refused at most this much later. */
const MAX_AGE_MS = 5 * 60_000;
/** Refetches that unknown kids may trigger: burst size and refill interval. */
const QUESTIONS = 5;
const QUESTION_MS = 3_000;
const TIMEOUT_MS = 3000;

/**
 * Finds a key by its kid.
 * @returns null when the set does not have it
 * @throws ServiceError SERVICE_UNAVAILABLE when the control plane cannot be reached
 */
export type HandoffKeys = (kid: string) => Promise<KeyObject | null>;

interface KeySet {
  readonly keys: ReadonlyMap<string, KeyObject>;
  readonly fetchedAt: number;
}

/**
 * The keys of handoff tokens, as the control plane publishes them. An unknown kid triggers one refetch; a flood of
 * invented kids triggers few, delays no request and evicts no published key. The library's own cache and limit count by
 * kid, so invented kids would use up the share of the published ones.
 * @param now milliseconds
 */
export function publishedHandoffKeys(
  controlPlaneUrl: string,
  now: () => number = () => performance.now(),
): HandoffKeys {
  const client = new JwksClient({
    jwksUri: `${controlPlaneUrl}/.well-known/jwks.json`,
    cache: false,
    timeout: TIMEOUT_MS,
  });
  let known: KeySet | null = null;
  let fetching: Promise<KeySet> | null = null;
  let questions = QUESTIONS;
  let refilledAt = now();

  const mayAsk = (): boolean => {
    const at = now();
    questions = Math.min(QUESTIONS, questions + (at - refilledAt) / QUESTION_MS);
    refilledAt = at;
    if (questions < 1) return false;
    questions -= 1;
    return true;
  };

  const fetchKeys = async (): Promise<KeySet> => {
    const fetchedAt = now();
    try {
      const published = await client.getSigningKeys();
      const keys = new Map(published.map((key) => [key.kid, createPublicKey(key.getPublicKey())]));
      return (known = { keys, fetchedAt });
    } catch (error) {
      throw unavailable('Sign-in cannot be checked now: retry', error);
    }
  };

  return async (kid) => {
    const age = known === null ? Infinity : now() - known.fetchedAt;
    const isFresh = known !== null && age < MAX_AGE_MS;
    const found = isFresh ? known?.keys.get(kid) : undefined;
    if (found !== undefined) return found;
    // Concurrent callers share one fetch.
    if (fetching === null && isFresh && !mayAsk()) return null;
    fetching ??= fetchKeys().finally(() => {
      fetching = null;
    });
    return (await fetching).keys.get(kid) ?? null;
  };
}
