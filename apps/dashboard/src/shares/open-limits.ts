import { eachMinute } from '../records/each-minute.js';

/** Maximum answers of one link per minute: each asks the node with a key of the account, whose plan counts requests. */
const OPENS_PER_MINUTE = 60;

/**
 * Counts how often links are opened, in this process and in whole minutes.
 * @returns whether a link may be opened once more
 */
export function createOpenLimits(now: () => Date): (shareId: string) => boolean {
  const countOf = eachMinute(now, () => ({ opens: 0 }));
  return (shareId) => {
    const count = countOf(shareId);
    count.opens += 1;
    return count.opens <= OPENS_PER_MINUTE;
  };
}
