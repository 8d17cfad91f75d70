/** The most that may be taken at once. */
export interface SlotLimits {
  readonly ofAHolder: number;
  /** Of all holders together; absent: any number. */
  readonly ofAll?: number;
}

/** Slots for work of some kind, taken while it is in progress: of this process, or of all workers of a node. */
export interface Slots {
  /** @returns false when none is free */
  take(kind: string, holder: string, limits: SlotLimits): Promise<boolean>;
  /** Gives one slot back that was taken. */
  release(kind: string, holder: string): void;
}

/** Counts in memory. */
export class SlotsInMemory implements Slots {
  readonly #taken = new Map<string, Map<string, number>>();

  async take(kind: string, holder: string, limits: SlotLimits): Promise<boolean> {
    return this.takeNow(kind, holder, limits);
  }

  takeNow(kind: string, holder: string, { ofAHolder, ofAll = Infinity }: SlotLimits): boolean {
    const counts = this.#taken.get(kind) ?? new Map<string, number>();
    const own = counts.get(holder) ?? 0;
    if (own >= ofAHolder) return false;
    if (ofAll !== Infinity && [...counts.values()].reduce((sum, count) => sum + count, 0) >= ofAll) return false;
    counts.set(holder, own + 1);
    this.#taken.set(kind, counts);
    return true;
  }

  release(kind: string, holder: string): void {
    const counts = this.#taken.get(kind);
    const left = (counts?.get(holder) ?? 0) - 1;
    if (left > 0) counts?.set(holder, left);
    else counts?.delete(holder);
  }
}
