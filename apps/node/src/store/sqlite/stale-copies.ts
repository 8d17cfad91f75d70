import type Sqlite from 'better-sqlite3';

/** A file up to this size is written anew in a fraction of a second. */
const QUICK_BYTES = 64 * 1024 * 1024;

/**
 * `secure_delete` overwrites a row where it is. Where it was before (pages are split and merged, and rows move) SQLite may
 * leave a copy in the free part of a page, and only writing the file anew removes that. Whether this is due is kept in
 * the file itself (`user_version`), so that it outlives the process.
 */
export class StaleCopies {
  readonly #file: Sqlite.Database;

  constructor(file: Sqlite.Database) {
    this.#file = file;
  }

  /** Says that something was erased. */
  note(): void {
    if (!this.#areNoted()) this.#attempt('pragma user_version = 1');
  }

  /** @returns whether the file was written anew, which an erasure asked for and its size allows */
  removeIfQuick(): boolean {
    if (!this.#areNoted() || this.#bytes() > QUICK_BYTES) return false;
    return this.#attempt(() => {
      this.remove();
    });
  }

  remove(): void {
    // Else a second copy of everything would go through a file of its own.
    const isSmall = this.#bytes() <= QUICK_BYTES;
    if (isSmall) this.#file.pragma('temp_store = MEMORY');
    try {
      this.#file.exec('vacuum');
      this.#file.pragma('user_version = 0');
    } finally {
      if (isSmall) this.#file.pragma('temp_store = DEFAULT');
    }
  }

  #areNoted(): boolean {
    return this.#file.pragma('user_version', { simple: true }) !== 0;
  }

  #bytes(): number {
    const pages = Number(this.#file.pragma('page_count', { simple: true }));
    return pages * Number(this.#file.pragma('page_size', { simple: true }));
  }

  /** @returns whether it succeeded; another process may be writing, and then it is due later */
  #attempt(work: string | (() => void)): boolean {
    try {
      if (typeof work === 'string') this.#file.exec(work);
      else work();
      return true;
    } catch {
      return false;
    }
  }
}
