import type { Logger } from '@cer/http-service';

/** One part of the node, by name. */
export type Closing = readonly [part: string, close: () => Promise<void> | undefined];

/** Closes one part after the other. One that fails (its database is away, say) keeps none of the others from closing. */
export async function closeInOrder(parts: readonly Closing[], logger: Pick<Logger, 'warn'>): Promise<void> {
  for (const [part, close] of parts) {
    try {
      await close();
    } catch (error) {
      logger.warn({ err: error, part }, 'a part of the node did not close in order');
    }
  }
}
