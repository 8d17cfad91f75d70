import type { Logger } from '@cer/http-service/process';

/** A named part of the node. */
export type Closing = readonly [part: string, close: () => Promise<void> | undefined];

/**
 * Closes the parts in order. A failure (an unreachable database, for example) does not prevent the others from closing.
 */
export async function closeInOrder(parts: readonly Closing[], logger: Pick<Logger, 'warn'>): Promise<void> {
  for (const [part, close] of parts) {
    try {
      await close();
    } catch (error) {
      logger.warn({ err: error, part }, 'a part of the node failed to close');
    }
  }
}
