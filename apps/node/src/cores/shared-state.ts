import type * as z from 'zod';
import { createLockout } from '../auth/lockout.js';
import { SlotsInMemory } from '../limits/slots.js';
import { pointsInMemory } from '../store/sql/points-in-memory.js';
import type { Channel } from './channel.js';
import { FairLock } from './fair-lock.js';
import { AdminClient, ASK, PointsOf, Slot, SlotWanted } from './questions.js';

/** The shared state of a node's workers, in the memory of their primary process: limits, and the write lock. */
export class SharedState {
  readonly #points = pointsInMemory();
  readonly #slots = new SlotsInMemory();
  readonly #adminLocks = createLockout(() => performance.now());
  readonly #writeLock = new FairLock<Channel>();

  /**
   * Answers a worker.
   * @returns to be called when it has ended: gives back what it held
   */
  serve(channel: Channel): () => void {
    const held: z.output<typeof Slot>[] = [];
    channel.on(ASK.points, async (asked) => {
      const { key, points } = PointsOf.parse(asked);
      return await this.#points.take(key, points);
    });
    channel.on(ASK.takeSlot, (asked) => {
      const { kind, holder, ofAHolder, ofAll } = SlotWanted.parse(asked);
      const limits = { ofAHolder, ...(ofAll !== undefined && { ofAll }) };
      const isTaken = this.#slots.takeNow(kind, holder, limits);
      if (isTaken) held.push({ kind, holder });
      return isTaken;
    });
    channel.on(ASK.releaseSlot, (noted) => {
      const { kind, holder } = Slot.parse(noted);
      const at = held.findIndex((slot) => slot.kind === kind && slot.holder === holder);
      if (at === -1) return;
      held.splice(at, 1);
      this.#slots.release(kind, holder);
    });
    channel.on(ASK.adminFailure, (asked) => this.#adminLocks.noteFailure(AdminClient.parse(asked).address));
    channel.on(ASK.adminSuccess, (noted) => {
      this.#adminLocks.forget(AdminClient.parse(noted).address);
    });
    channel.on(ASK.writeTurn, async () => {
      await this.#writeLock.acquire(channel);
      return null;
    });
    channel.on(ASK.writeDone, () => {
      this.#writeLock.release(channel);
    });
    return () => {
      for (const { kind, holder } of held.splice(0)) this.#slots.release(kind, holder);
      this.#writeLock.forget(channel);
    };
  }
}
