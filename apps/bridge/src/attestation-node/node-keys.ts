import { parseKeySet, type NodeKeySet } from '@cer/keys';
import { nodeUnavailable, type NodeConnection } from './connection.js';

/** Maximum age, in ms, of the cached key set. */
const MAX_AGE_MS = 60_000;
/** Minimum interval, in ms, between refetches for unknown kids. */
const MIN_AGE_MS = 1_000;
/** Maximum silence, in ms: keys cost the node nothing, and pages wait for them. */
const SILENCE_MS = 5_000;

/** Source of the keys that certificates are checked with. */
export interface NodeKeys {
  /**
   * @param kid the key that must be in it: a cached set without it is fetched again
   * @throws ServiceError SERVICE_UNAVAILABLE when no recent set is cached and the node does not answer
   */
  keySetWith(kid: string | null): Promise<NodeKeySet>;
}

/**
 * @param now milliseconds
 * @param silenceMs maximum silence of the node
 * @see docs/spec.md, "Node key set"
 */
export function publishedKeys(
  node: NodeConnection,
  now: () => number = () => performance.now(),
  silenceMs = SILENCE_MS,
): NodeKeys {
  let known: { readonly keySet: NodeKeySet; readonly fetchedAt: number } | null = null;
  let fetching: Promise<NodeKeySet> | null = null;

  const fetchSet = async (): Promise<NodeKeySet> => {
    const fetchedAt = now();
    try {
      const keySet = parseKeySet(await node.as().keys({ timeoutMs: silenceMs }));
      known = { keySet, fetchedAt };
      return keySet;
    } catch (cause) {
      throw nodeUnavailable(cause);
    }
  };

  return {
    keySetWith: (kid) => {
      const age = known === null ? Infinity : now() - known.fetchedAt;
      const isMissing = kid !== null && known?.keySet.entries.has(kid) !== true;
      if (known !== null && age < MAX_AGE_MS && (!isMissing || age < MIN_AGE_MS)) return Promise.resolve(known.keySet);
      fetching ??= fetchSet().finally(() => {
        fetching = null;
      });
      return fetching;
    },
  };
}
