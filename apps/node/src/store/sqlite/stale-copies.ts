import type Sqlite from 'better-sqlite3';

/** Maximum size of a file that is rewritten automatically, in a fraction of a second. */
const QUICK_BYTES = 64 * 1024 * 1024;

/**
 * `secure_delete` overwrites a row at its current location. At earlier locations (pages are split and merged, and rows
 * move) SQLite may leave a copy in the free part of a page, which only rewriting the file removes. A mark in the file
 * (`user_version`) records that this is due, so that it survives the process.
 */
export class StaleCopies {
  readonly #file: Sqlite.Database;

  constructor(file: Sqlite.Database) {
    this.#file = file;
  }

  /** Marks that rows were erased. */
  note(): void {
    if (!this.#areNoted()) this.#attempt('pragma user_version = 1');
  }

  /** @returns whether the file was rewritten, which requires a mark and a small file */
  removeIfQuick(): boolean {
    if (!this.#areNoted() || this.#bytes() > QUICK_BYTES) return false;
    return this.#attempt(() => {
      this.remove();
    });
  }

  remove(): void {
    // Otherwise VACUUM would write a second copy to a temporary file.
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

  /** @returns whether it succeeded; while another process writes it is postponed */
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
