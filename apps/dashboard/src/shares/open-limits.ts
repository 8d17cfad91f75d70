const MINUTE_MS = 60_000;

/** Maximum answers of one link per minute: each asks the node with a key of the account, whose plan counts requests. */
const OPENS_PER_MINUTE = 60;

/**
 * Counts how often links are opened, in this process and in whole minutes.
 * @returns whether a link may be opened once more
 */
export function createOpenLimits(now: () => Date): (shareId: string) => boolean {
  const counts = new Map<string, number>();
  let minute = 0;
  return (shareId) => {
    const current = Math.floor(now().getTime() / MINUTE_MS);
    if (current !== minute) counts.clear();
    minute = current;
    const count = (counts.get(shareId) ?? 0) + 1;
    counts.set(shareId, count);
    return count <= OPENS_PER_MINUTE;
  };
}
