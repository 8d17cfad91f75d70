import { retryPassing } from './retry.js';
import { StoreBusyError, StoreError } from '../ports/store-error.js';

export interface GroupCommitOptions<Row> {
  /** Rows with equal keys are never in one batch nor in concurrent batches. */
  readonly keyOf: (row: Row) => string;
  /** Durable when it resolves; returns for each row whether it was inserted. */
  readonly insertBatch: (rows: readonly Row[]) => Promise<readonly boolean[]>;
  readonly batchLimit: number;
  /** Maximum concurrent batches. */
  readonly inFlightLimit: number;
  /** Maximum waiting rows, including those in flight. */
  readonly queueLimit: number;
  /** Runs `flush` after `GATHER_MS`, unless the returned function is called first. Replaced in tests. */
  readonly startGathering?: (flush: () => void) => () => void;
}

interface Waiter<Row> {
  readonly row: Row;
  readonly resolve: (inserted: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** The row to insert, and later ones with the same key. */
interface Entry<Row> extends Waiter<Row> {
  readonly key: string;
  readonly followers: Waiter<Row>[];
}

/** Maximum wait of a row for expected ones, in ms. */
const GATHER_MS = 2;
/** Rows that are committed without waiting for expected ones, and not divided. */
const GATHERED_ROWS = 32;

/**
 * Lets concurrent inserts share a commit, the dominant cost. Rows that arrive while the event loop is busy or during a
 * commit share the next one. While further rows are expected, a small batch waits briefly for them; a single row does not
 * wait.
 */
export class GroupCommit<Row> {
  readonly #options: GroupCommitOptions<Row>;
  readonly #entries = new Map<string, Entry<Row>>();
  readonly #queue: Entry<Row>[] = [];
  #pending = 0;
  #inFlight = 0;
  #scheduled = false;
  #expected = 0;
  /** Ends the wait for expected rows; null: not waiting. */
  #stopGathering: (() => void) | null = null;
  #gatheredEnough = false;

  constructor(options: GroupCommitOptions<Row>) {
    this.#options = options;
  }

  /** Accepted, unsettled rows. */
  get pending(): number {
    return this.#pending;
  }

  /**
   * @returns once it is durable: true when this row was inserted, false when its key is taken by another one
   * @throws StoreBusyError at once, when the queue is full
   */
  async add(row: Row): Promise<boolean> {
    if (this.#pending >= this.#options.queueLimit) throw new StoreBusyError();
    this.#pending += 1;
    return await new Promise<boolean>((resolve, reject) => {
      this.#enqueue({ row, resolve, reject });
    });
  }

  /**
   * Announces a row whose content is being made.
   * @returns to be called once, shortly before the row is added or when it will not be
   */
  expect(): () => void {
    this.#expected += 1;
    return () => {
      this.#expected -= 1;
      // On the next turn, when the row of this call has been added.
      if (this.#expected === 0 && this.#stopGathering !== null) this.#schedule();
    };
  }

  #enqueue(waiter: Waiter<Row>, followers: Waiter<Row>[] = []): void {
    const key = this.#options.keyOf(waiter.row);
    const ahead = this.#entries.get(key);
    if (ahead !== undefined) {
      ahead.followers.push(waiter);
      return;
    }
    const { row, resolve, reject } = waiter;
    const entry = { row, resolve, reject, key, followers };
    this.#entries.set(key, entry);
    this.#queue.push(entry);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled || this.#queue.length === 0 || this.#inFlight >= this.#options.inFlightLimit) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (this.#gathers()) return;
      const batch = this.#queue.splice(0, this.#batchSize());
      this.#inFlight += 1;
      void this.#commit(batch).finally(() => {
        this.#inFlight -= 1;
        this.#schedule();
      });
      this.#schedule();
    });
  }

  /** An idle database begins with a part of the waiting rows: while it works on that, the rest is made ready. */
  #batchSize(): number {
    const { batchLimit, inFlightLimit } = this.#options;
    if (this.#inFlight > 0) return batchLimit;
    return Math.min(batchLimit, Math.max(GATHERED_ROWS, Math.ceil(this.#queue.length / inFlightLimit)));
  }

  /** @returns true when the batch waits for expected rows */
  #gathers(): boolean {
    if (this.#expected > 0 && this.#queue.length < GATHERED_ROWS) {
      this.#stopGathering ??= (this.#options.startGathering ?? gatherBriefly)(() => {
        this.#gatheredEnough = true;
        this.#schedule();
      });
      if (!this.#gatheredEnough) return true;
    }
    this.#stopGathering?.();
    this.#stopGathering = null;
    this.#gatheredEnough = false;
    return false;
  }

  /** Settles every entry of the batch, and never rejects. */
  async #commit(batch: readonly Entry<Row>[]): Promise<void> {
    try {
      const inserted = await retryPassing(() => this.#options.insertBatch(batch.map(({ row }) => row)));
      batch.forEach((entry, index) => {
        this.#settle(entry, inserted[index] === true);
      });
    } catch (error) {
      const [first, ...rest] = batch;
      if (first === undefined) return;
      if (rest.length === 0) {
        this.#fail(first, error);
        return;
      }
      // Without a database each single row would fail the same way.
      if (isUnavailable(error)) {
        for (const entry of batch) this.#fail(entry, error);
        return;
      }
      // The database does not report which row is at fault, so each is committed separately.
      for (const entry of batch) await this.#commit([entry]);
    }
  }

  #settle(entry: Entry<Row>, inserted: boolean): void {
    this.#entries.delete(entry.key);
    entry.resolve(inserted);
    for (const follower of entry.followers) follower.resolve(false);
    this.#pending -= 1 + entry.followers.length;
  }

  #fail(entry: Entry<Row>, error: unknown): void {
    this.#entries.delete(entry.key);
    entry.reject(error);
    this.#pending -= 1;
    if (isUnavailable(error)) {
      for (const follower of entry.followers) follower.reject(error);
      this.#pending -= entry.followers.length;
      return;
    }
    // The key is still free, so the next row is tried.
    const [next, ...followers] = entry.followers;
    if (next !== undefined) this.#enqueue(next, followers);
  }
}

function gatherBriefly(flush: () => void): () => void {
  const timer = setTimeout(flush, GATHER_MS);
  return () => {
    clearTimeout(timer);
  };
}

function isUnavailable(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'STORE_UNAVAILABLE';
}
