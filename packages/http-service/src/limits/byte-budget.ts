/** Which bound a request would exceed: its holder's share, or the total. */
export type ExceededBound = 'share' | 'total';

export interface ByteBudgetOptions {
  readonly totalBytes: number;
  /** The part of the total that one holder may have, from 0 to 1; 1 by default. */
  readonly share?: number;
  /** Makes the error for bytes beyond the budget. */
  readonly refuse: (exceeded: ExceededBound) => Error;
}

/** The bytes that one request keeps in memory. */
export interface Reservation {
  /** The bound that `bytes` more would exceed, or null if they fit. */
  readonly exceededBy: (bytes: number) => ExceededBound | null;
  /** @throws the error of `refuse` when `bytes` more would not fit; counts nothing */
  readonly assertRoom: (bytes: number) => void;
  /**
   * Counts bytes before they are stored.
   * @throws the error of `refuse` when they do not fit; then nothing is counted
   */
  readonly take: (bytes: number) => void;
  /** Returns bytes; never more than were taken. */
  readonly give: (bytes: number) => void;
  /** Returns all bytes; idempotent. */
  readonly release: () => void;
}

/**
 * Bounds the bytes that all requests keep in memory, and the share of each holder (a tenant, an address). A request that
 * is alone may have any size: otherwise a small bound would refuse it permanently.
 */
export class ByteBudget {
  readonly #totalBytes: number;
  readonly #shareBytes: number;
  readonly #refuse: ByteBudgetOptions['refuse'];
  readonly #byHolder = new Map<string, number>();
  #taken = 0;

  constructor({ totalBytes, share = 1, refuse }: ByteBudgetOptions) {
    this.#totalBytes = totalBytes;
    this.#shareBytes = totalBytes * share;
    this.#refuse = refuse;
  }

  /** @param holder whose share the bytes count against; only the total bounds null */
  reserve(holder: string | null = null): Reservation {
    let own = 0;
    const exceededBy = (bytes: number): ExceededBound | null => {
      const exceeds = (taken: number, limit: number): boolean => taken > own && taken + bytes > limit;
      if (holder !== null && exceeds(this.#byHolder.get(holder) ?? 0, this.#shareBytes)) return 'share';
      return exceeds(this.#taken, this.#totalBytes) ? 'total' : null;
    };
    const assertRoom = (bytes: number): void => {
      const exceeded = exceededBy(bytes);
      if (exceeded !== null) throw this.#refuse(exceeded);
    };
    const add = (bytes: number): void => {
      own += bytes;
      this.#add(holder, bytes);
    };
    return {
      exceededBy,
      assertRoom,
      take: (bytes) => {
        assertRoom(bytes);
        add(bytes);
      },
      give: (bytes) => {
        add(-Math.min(bytes, own));
      },
      release: () => {
        add(-own);
      },
    };
  }

  #add(holder: string | null, bytes: number): void {
    this.#taken += bytes;
    if (holder === null) return;
    const taken = (this.#byHolder.get(holder) ?? 0) + bytes;
    if (taken === 0) this.#byHolder.delete(holder);
    else this.#byHolder.set(holder, taken);
  }
}
