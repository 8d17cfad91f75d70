import type Sqlite from 'better-sqlite3';
import * as z from 'zod';

import type { LogMover } from './log-mover.js';
import { StaleCopies } from './stale-copies.js';

/** The answer of `wal_checkpoint`: whether another connection prevented it, pages of the log, and those in the file too. */
const Answer = z.tuple([z.object({ busy: z.number(), log: z.number(), checkpointed: z.number() })]);

const TICK_MS = 1_000;
/** From this length on, in pages of 4 KiB, the log is moved under load too. A longer one delays the start of a process. */
const LONG_LOG_PAGES = 32_768;

/**
 * Checkpoints the write-ahead log when idle, and under load in a thread once it is long, so that commits need not.
 */
export class WalCheckpoint {
  readonly #file: Sqlite.Database;
  readonly #mover: LogMover;
  readonly #longLogPages: number;
  readonly #timer: NodeJS.Timeout;
  readonly #staleCopies: StaleCopies;
  #state: 'clean' | 'written' | 'quiet' = 'clean';
  #purge = false;

  /** Empties the log at start: a process that ended between erasing and emptying left the erased bytes in it. */
  constructor(file: Sqlite.Database, mover: LogMover, longLogPages = LONG_LOG_PAGES) {
    this.#file = file;
    this.#mover = mover;
    this.#longLogPages = longLogPages;
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

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#mover.stop();
    this.#removeCopies();
  }

  #tick(): void {
    if (this.#purge) {
      this.#emptyLog();
    } else if (this.#isLogLong()) {
      this.#mover.move();
    } else if (this.#state === 'written') {
      this.#state = 'quiet';
    } else if (this.#state === 'quiet') {
      this.#state = 'clean';
      this.#removeCopies();
      this.#checkpoint('PASSIVE');
    }
  }

  /** Whether the log is long and a part of it is not yet in the file. */
  #isLogLong(): boolean {
    const state = this.#checkpoint('NOOP');
    return state !== null && state.log >= this.#longLogPages && state.checkpointed < state.log;
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
      return this.#checkpoint('TRUNCATE')?.busy === 0;
    } finally {
      this.#file.pragma(`busy_timeout = ${Number(timeout)}`);
    }
  }

  /** @returns null for a failure, which leaves the log for the next time: the commits in it are safe */
  #checkpoint(mode: 'NOOP' | 'PASSIVE' | 'TRUNCATE'): z.output<typeof Answer>[0] | null {
    try {
      return Answer.parse(this.#file.pragma(`wal_checkpoint(${mode})`))[0];
    } catch {
      return null;
    }
  }
}
