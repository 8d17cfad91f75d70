import { encodeHex } from '@cer/keys';
import { frontierOf, rootOfFrontier } from '@cer/tlog/merkle';
import type { LogClosing, LogRow, LogStore } from '../store/index.js';
import { timeOf } from './stored-leaf.js';

/** Leaves without a place that are read for their time. */
const WAITING_LIMIT = 4096;

/**
 * Ends logs at the size that they have, in one transaction.
 *
 * Receipts from before the time of closing are promised to be in the log, so that time is not after the oldest receipt
 * which waits for its place: it gets one in the next log.
 * @see docs/spec.md, "Log statement"
 */
export async function closeLogs(
  store: Pick<LogStore, 'head' | 'pending' | 'close'>,
  rows: readonly LogRow[],
  now: Date,
): Promise<void> {
  let isClosed = false;
  // A log that grew in between is closed at its new size.
  while (!isClosed) {
    const heads = await Promise.all(rows.map(async ({ logId }) => ({ logId, ...(await store.head(logId)) })));
    const waiting = await store.pending(WAITING_LIMIT);
    const at = [now.toISOString(), ...waiting.map(timeOf)].reduce((first, time) => (time < first ? time : first));
    isClosed = await store.close(
      heads.map(({ logId, size, peaks }): LogClosing => {
        const root = `sha256:${encodeHex(rootOfFrontier(frontierOf(size, peaks)))}`;
        return { logId, size, closedJson: JSON.stringify({ size, root, at }) };
      }),
    );
  }
}
