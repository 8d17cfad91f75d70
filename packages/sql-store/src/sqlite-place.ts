import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { notAvailable } from './driver-code.js';
import { StoreError } from './store-error.js';

/** SQLite's own code for this. With a write-ahead log it does not look. */
const MOVED = 'SQLITE_READONLY_DBMOVED';

/**
 * The place of an open SQLite file. A process continues with a file that was moved, removed or replaced: what it then
 * writes is not in the database of the next start.
 */
export class SqlitePlace {
  readonly #path: string;
  readonly #opened: string | null;

  /** @param path of a file that was just opened */
  constructor(path: string) {
    this.#path = resolve(path);
    this.#opened = this.#fileNow();
  }

  /** @throws StoreError STORE_UNAVAILABLE while another file, or none, is there */
  assertKept(): void {
    const found = this.#fileNow();
    if (found === null || found !== this.#opened) throw new StoreError('STORE_UNAVAILABLE', notAvailable(MOVED), MOVED);
  }

  #fileNow(): string | null {
    const found = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? null : `${found.dev} ${found.ino}`;
  }
}
