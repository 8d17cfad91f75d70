import type Sqlite from 'better-sqlite3';

import { StaleCopies } from './stale-copies.js';

const TICK_MS = 1_000;

/**
 * Checkpoints the write-ahead log when idle, so that commits under load need not. Under continuous load SQLite does it
 * once the log is long.
 */
export class WalCheckpoint {
  readonly #file: Sqlite.Database;
  readonly #timer: NodeJS.Timeout;
  readonly #staleCopies: StaleCopies;
  #state: 'clean' | 'written' | 'quiet' = 'clean';
  #purge = false;

  /** Empties the log at start: a process that ended between erasing and emptying left the erased bytes in it. */
  constructor(file: Sqlite.Database) {
    this.#file = file;
    this.#staleCopies = new StaleCopies(file);
    this.#emptyLog();
    this.#timer = setInterval(() => {
      this.#tick();
    }, TICK_MS);
    this.#timer.unref();
  }

  noteCommit(): void {
    this.#state = 'written';
  }

  /** Removes erased bytes from the log too, immediately or, while another process reads, as soon as possible. */
  purge(): void {
    this.#staleCopies.note();
    this.#emptyLog();
  }

  /** Removes all copies of erased rows from a file of any size. Blocks other writers. */
  compact(): void {
    this.#staleCopies.remove();
    this.#emptyLog();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#removeCopies();
  }

  #tick(): void {
    if (this.#purge) {
      this.#emptyLog();
    } else if (this.#state === 'written') {
      this.#state = 'quiet';
    } else if (this.#state === 'quiet') {
      this.#state = 'clean';
      this.#removeCopies();
      this.#checkpoint('PASSIVE');
    }
  }

  #removeCopies(): void {
    if (this.#staleCopies.removeIfQuick()) this.#emptyLog();
  }

  #emptyLog(): void {
    this.#purge = !this.#truncate();
  }

  #truncate(): boolean {
    // Waiting for a reader would block every request.
    const timeout = this.#file.pragma('busy_timeout', { simple: true });
    this.#file.pragma('busy_timeout = 0');
    try {
      return this.#checkpoint('TRUNCATE');
    } finally {
      this.#file.pragma(`busy_timeout = ${Number(timeout)}`);
    }
  }

  /** @returns whether the whole log was moved; a failure leaves it for the next time, and the commits in it are safe */
  #checkpoint(mode: 'PASSIVE' | 'TRUNCATE'): boolean {
    try {
      return this.#file.pragma(`wal_checkpoint(${mode})`, { simple: true }) === 0;
    } catch {
      return false;
    }
  }
}
