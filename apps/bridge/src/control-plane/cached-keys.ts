import type { KeyAccount } from './accounts.js';

/** How long a found key is believed, in milliseconds from the start of its look-up. */
const FOUND_MS = 30_000;
const UNKNOWN_MS = 5_000;
const MAX_CACHED_KEYS = 10_000;

interface Answer {
  readonly account: KeyAccount | null;
  readonly until: number;
}

export type FindKey = (keyHash: string) => Promise<KeyAccount | null>;

/**
 * Remembers answers for a bounded time and number. A failed look-up is never remembered and never bridged by an old
 * answer: when the control plane is gone, so is access.
 * @param now milliseconds
 * @see docs/spec.md, "Introspection"
 */
export function cachedKeys(find: FindKey, now: () => number): FindKey {
  // Apart, so that a flood of made-up keys never has those in use asked for again.
  const good = new Map<string, Answer>();
  const others = new Map<string, Answer>();
  const asking = new Map<string, Promise<KeyAccount | null>>();

  const ask = async (keyHash: string): Promise<KeyAccount | null> => {
    const startedAt = now();
    const account = await find(keyHash);
    const isGood = account?.isActive === true;
    const known = isGood ? good : others;
    good.delete(keyHash);
    others.delete(keyHash);
    if (known.size >= MAX_CACHED_KEYS) known.clear();
    known.set(keyHash, { account, until: startedAt + (isGood ? FOUND_MS : UNKNOWN_MS) });
    return account;
  };

  return (keyHash) => {
    const answer = good.get(keyHash) ?? others.get(keyHash);
    if (answer !== undefined && now() < answer.until) return Promise.resolve(answer.account);
    const asked = asking.get(keyHash);
    if (asked !== undefined) return asked;
    const question = ask(keyHash).finally(() => asking.delete(keyHash));
    asking.set(keyHash, question);
    return question;
  };
}
