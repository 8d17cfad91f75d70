/** Times to live, in ms from the start of a look-up. */
export interface CacheTimes {
  /** Time to live of a found key. */
  readonly foundMs: number;
  /** Time to live of any other answer. */
  readonly unknownMs: number;
}

export interface CachedLookupOptions<Found> {
  /** @returns null for an unknown key; a rejection is passed on to the caller */
  readonly find: (key: string) => Promise<Found | null>;
  /** Which answers belong to keys in use; every answer but null by default. */
  readonly isFound?: (answer: Found) => boolean;
  readonly times: CacheTimes;
  /** Milliseconds of a clock that is never set: an answer must not outlive its time when the machine's clock goes back. */
  readonly now?: (() => number) | undefined;
}

interface CachedAnswer<Found> {
  readonly answer: Found | null;
  readonly until: number;
}

/** Of each kind. */
const MAX_CACHED_KEYS = 10_000;

/**
 * Caches a look-up of keys for a bounded time and number; concurrent look-ups of one key share one request. A failed
 * look-up is never cached and never replaced by an old answer: without the directory, access ends when the cached
 * answer expires.
 */
export function cachedLookup<Found>(options: CachedLookupOptions<Found>): (key: string) => Promise<Found | null> {
  const { find, isFound = () => true, times, now = () => performance.now() } = options;
  // Separate, so that a flood of made-up keys does not evict keys in use.
  const found = new Map<string, CachedAnswer<Found>>();
  const others = new Map<string, CachedAnswer<Found>>();
  const asking = new Map<string, Promise<Found | null>>();

  const ask = async (key: string): Promise<Found | null> => {
    const startedAt = now();
    const answer = await find(key);
    const isInUse = answer !== null && isFound(answer);
    const cache = isInUse ? found : others;
    found.delete(key);
    others.delete(key);
    if (cache.size >= MAX_CACHED_KEYS) cache.clear();
    cache.set(key, { answer, until: startedAt + (isInUse ? times.foundMs : times.unknownMs) });
    return answer;
  };

  return (key) => {
    const cached = found.get(key) ?? others.get(key);
    if (cached !== undefined && now() < cached.until) return Promise.resolve(cached.answer);
    const asked = asking.get(key);
    if (asked !== undefined) return asked;
    const question = ask(key).finally(() => asking.delete(key));
    asking.set(key, question);
    return question;
  };
}
