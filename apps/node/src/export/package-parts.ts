import type { WholeRecord } from '../store/index.js';
import { isTooFlat } from './flatness.js';
import { certificateLine, receiptLine, timestampLine } from './package-lines.js';

/** Limits of a part, so that a reader needs little memory. */
const PART_RECORDS = 1000;
const PART_BYTES = 8 * 1024 * 1024;
/** Approximate chunk size for output, in characters. */
const PIECE_LENGTH = 64 * 1024;

/** The next record and its line. */
interface Ahead {
  readonly whole: WholeRecord;
  readonly certificate: string;
  readonly isTooFlat: boolean;
}

/** Splits records into parts: streams the certificates first, then the data that belongs to them. */
export class PackageParts {
  receipts: string[] = [];
  timestamps: string[] = [];
  count = 0;
  first: WholeRecord['record'] | null = null;
  last: WholeRecord['record'] | null = null;
  /** Whether the certificates of this part are not compressed. */
  isStored = false;
  readonly #records: AsyncIterator<WholeRecord>;
  #ahead: Ahead | null = null;
  #part = 0;

  constructor(records: AsyncIterator<WholeRecord>) {
    this.#records = records;
  }

  async hasNext(): Promise<boolean> {
    return (await this.#next()) !== null;
  }

  /** Starts the next part. @returns its number, starting at 1 */
  next(): number {
    this.receipts = [];
    this.timestamps = [];
    this.isStored = this.#ahead?.isTooFlat === true;
    this.#part += 1;
    return this.#part;
  }

  async *certificates(): AsyncGenerator<string> {
    let piece = '';
    let length = 0;
    while (this.receipts.length < PART_RECORDS && length < PART_BYTES) {
      const ahead = await this.#next();
      // An uncompressed part accepts any line, so that a mixture of both adds few parts.
      if (ahead === null || (ahead.isTooFlat && !this.isStored)) break;
      const line = this.#take(ahead);
      length += line.length;
      piece += line;
      if (piece.length < PIECE_LENGTH) continue;
      yield piece;
      piece = '';
    }
    if (piece !== '') yield piece;
  }

  async #next(): Promise<Ahead | null> {
    if (this.#ahead === null) {
      const next = await this.#records.next();
      if (next.done === true) return null;
      const whole = next.value;
      const certificate = certificateLine(whole);
      this.#ahead = { whole, certificate, isTooFlat: await isTooFlat(certificate) };
    }
    return this.#ahead;
  }

  #take({ whole, certificate }: Ahead): string {
    this.#ahead = null;
    this.count += 1;
    this.first ??= whole.record;
    this.last = whole.record;
    this.receipts.push(receiptLine(whole));
    const timestamps = timestampLine(whole);
    if (timestamps !== null) this.timestamps.push(timestamps);
    return certificate;
  }
}
