import { hash } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { sealedAt } from './spool.js';

const LINE = /^\{"n":\d+,"sha256":"([0-9a-f]{64})","bundle":(.*)\}$/;
const LINE_FEED = 0x0a;
/** Maximum bytes per read. */
const READ_BYTES = 64 * 1024;
/** Milliseconds within which writes share one flush to the disk. */
const FLUSH_AFTER_MS = 20;

/** A line of a segment; `text` is null for one that is torn or changed. `end` is the offset behind it. */
export interface SegmentLine {
  readonly text: string | null;
  readonly end: number;
}

/**
 * One append-only file of sealed bundles, one a line, written by one process. Beside it, `PATH.done` holds the offset
 * up to which bundles are attested.
 */
export class Segment {
  readonly path: string;
  /** Whole lines that wait. */
  waiting = 0;
  #fd: number | null = null;
  #written = 0;
  #size: number;
  #done: number;
  #hasPart = false;
  #isKept = false;
  /** Whether this process wrote the offset. */
  #hasOffset = false;
  #flush: NodeJS.Timeout | null = null;
  /** Of the first line that waits; undefined: not read yet. */
  #oldestAt: number | null | undefined;

  constructor(path: string) {
    this.path = path;
    this.#size = existsSync(path) ? statSync(path).size : 0;
    this.#done = Math.min(this.#size, readOffset(`${path}.done`));
  }

  /** Bytes that wait. */
  get waitingBytes(): number {
    return this.#size - this.#done;
  }

  /** When the first bundle that waits was sealed, in milliseconds since 1970; null without one that can be read. */
  get oldestAt(): number | null {
    try {
      this.#oldestAt ??= sealedAt(this.read(1)[0]?.text ?? '');
    } catch {
      // The drain meets and reports the same fault.
      this.#oldestAt = null;
    }
    return this.#oldestAt;
  }

  get size(): number {
    return this.#size;
  }

  /** Whether a failed write left a part of a line at the end. */
  get hasPart(): boolean {
    return this.#hasPart;
  }

  /** Whether this process leaves the file to the next one. */
  get isKept(): boolean {
    return this.#isKept;
  }

  /** Whether the file was removed while it is open: what is written to it ends with the process. */
  get isUnlinked(): boolean {
    return this.#fd !== null && fstatSync(this.#fd).nlink === 0;
  }

  /** Whether the open file was cut off or written by another program: further lines would not be found in it. */
  get isChanged(): boolean {
    return this.#fd !== null && fstatSync(this.#fd).size !== this.#size;
  }

  /** Lines that are torn or changed, which an adopted segment does not count as waiting. */
  lose(lines: number): void {
    if (this.#written > 0) this.waiting -= lines;
  }

  /** Appends a bundle; afterwards it survives the end of the process. @throws Error when it cannot be written */
  append(text: string): void {
    // Also for reading, so that bundles can be sent after the file was removed.
    this.#fd ??= openSync(this.path, 'a+', 0o600);
    this.#written += 1;
    if (this.waitingBytes === 0) this.#oldestAt = sealedAt(text);
    const sha256 = hash('sha256', text);
    const bytes = Buffer.from(`{"n":${this.#written},"sha256":"${sha256}","bundle":${text}}\n`);
    this.#write(this.#fd, bytes);
    this.waiting += 1;
    this.#flush ??= setTimeout(() => {
      this.#flush = null;
      // A failure here concerns a power cut only: the bytes are with the operating system.
      if (this.#fd !== null) fdatasync(this.#fd, () => undefined);
    }, FLUSH_AFTER_MS).unref();
  }

  /** Writes a whole line, or as far as the system allows none of it. */
  #write(fd: number, bytes: Uint8Array): void {
    const before = this.#size;
    try {
      for (let at = 0; at < bytes.length;) {
        const count = writeSync(fd, bytes, at);
        at += count;
        this.#size += count;
      }
    } catch (error) {
      this.#hasPart = this.#size > before && !isCutBack(fd, before);
      if (!this.#hasPart) this.#size = before;
      throw error;
    }
  }

  /**
   * The first lines that wait, at most `maxLines`. Bytes behind the last line feed are not a line yet.
   * @param from the offset of the first of them
   */
  read(maxLines: number, from = this.#done): SegmentLine[] {
    const lines: SegmentLine[] = [];
    if (from >= this.#size) return lines;
    const fd = this.#fd ?? openSync(this.path, 'r');
    try {
      let parts: Buffer[] = [];
      let at = from;
      let end = from;
      while (lines.length < maxLines && at < this.#size) {
        const chunk = Buffer.alloc(Math.min(READ_BYTES, this.#size - at));
        const count = readSync(fd, chunk, 0, chunk.length, at);
        if (count === 0) break;
        at += count;
        parts.push(chunk.subarray(0, count));
        // Within a long line, such as that of a large project: to join it in each read would take longer with every read.
        if (!chunk.includes(LINE_FEED)) continue;
        const rest = Buffer.concat(parts);
        let start = 0;
        for (let feed = rest.indexOf(LINE_FEED); feed >= 0 && lines.length < maxLines;) {
          end += feed + 1 - start;
          lines.push({ text: textOfLine(rest.toString('utf8', start, feed)), end });
          start = feed + 1;
          feed = rest.indexOf(LINE_FEED, start);
        }
        parts = [rest.subarray(start)];
      }
    } finally {
      if (fd !== this.#fd) closeSync(fd);
    }
    return lines;
  }

  /** @param offset behind the last attested bundle */
  acknowledge(offset: number): void {
    this.#done = offset;
    this.#oldestAt = undefined;
    if (this.#isKept) return;
    // In place: offsets only grow, and a file that is cut off first is written to the disk by some systems when it is
    // closed. The offset of an earlier process is replaced.
    const { O_CREAT, O_TRUNC, O_WRONLY } = constants;
    const fd = openSync(`${this.path}.done`, O_CREAT | O_WRONLY | (this.#hasOffset ? 0 : O_TRUNC), 0o600);
    try {
      writeSync(fd, String(offset), 0);
      this.#hasOffset = true;
    } finally {
      closeSync(fd);
    }
  }

  /** Leaves the file and the offset as they are: the next process sends again from there, which replays certificates. */
  keep(): void {
    this.#isKept = true;
  }

  /** Takes over the file of an ended process. @throws Error when another process was faster */
  static adopt(from: string, path: string): Segment {
    // As young as this process: other threads of it would take an older file for that of an earlier process.
    const now = new Date();
    utimesSync(from, now, now);
    renameSync(from, path);
    if (existsSync(`${from}.done`)) renameSync(`${from}.done`, `${path}.done`);
    return new Segment(path);
  }

  close(): void {
    if (this.#fd === null) return;
    try {
      fdatasyncSync(this.#fd);
    } finally {
      this.#release(this.#fd);
    }
  }

  #release(fd: number): void {
    if (this.#flush !== null) clearTimeout(this.#flush);
    this.#flush = null;
    closeSync(fd);
    this.#fd = null;
  }

  /** Closes the file and deletes it, unless it is kept. */
  remove(): void {
    if (this.#isKept) {
      this.close();
      return;
    }
    // Not flushed to the disk, for which calls that are under way would wait: all its bundles are attested or unreadable.
    if (this.#fd !== null) this.#release(this.#fd);
    removeFile(this.path);
    removeFile(`${this.path}.done`);
  }
}

/** Not `rmSync`: since Node.js 24 its errors have no code. A read-only disk refuses also where there is no file. */
function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (existsSync(path)) throw error;
  }
}

/** Makes a file shorter, which needs no room on its disk. */
function isCutBack(fd: number, size: number): boolean {
  try {
    ftruncateSync(fd, size);
    return true;
  } catch {
    return false;
  }
}

function textOfLine(line: string): string | null {
  const [, sha256, text] = LINE.exec(line) ?? [];
  if (text === undefined) return null;
  return hash('sha256', text) === sha256 ? text : null;
}

function readOffset(path: string): number {
  // An offset that was cut off sends bundles again, which replays their certificates.
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  return /^\d{1,15}$/.test(text) ? Number(text) : 0;
}
