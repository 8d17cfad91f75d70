import { randomBytes } from 'node:crypto';
import { appendFileSync, closeSync, existsSync, fstatSync, mkdirSync, openSync, readSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { errorCode } from './error-code.js';
import { orphansIn, segmentName } from './orphans.js';
import { Segment, type SegmentLine } from './segment.js';
import { earliest, type Batch, type Spool } from './spool.js';

/** A segment with more bytes is ended, so that attested bundles leave the disk. */
const SEGMENT_BYTES = 8 * 1024 * 1024;

/** Maximum lines read in one turn of the event loop, in which no call of the program advances. */
const LINES_PER_TURN = 16;

/** The folder, shared with other processes, in which this one has segments. */
class FileSpool implements Spool {
  readonly #dir: string;
  /** Oldest first; the last one may be appended to. */
  readonly #segments: Segment[] = [];
  #current: Segment | null = null;
  torn = 0;
  adopted = 0;

  constructor(dir: string, failed: (error: unknown) => void) {
    this.#dir = dir;
    makeFolder(dir);
    for (const orphan of orphansIn(dir)) this.#adopt(orphan, failed);
    // By the time of their bundles, not by name: a project is registered after its calls are attested.
    this.#segments.sort((one, other) => (one.oldestAt ?? 0) - (other.oldestAt ?? 0));
  }

  get waiting(): number {
    return this.#segments.reduce((sum, segment) => sum + segment.waiting, 0);
  }

  get waitingBytes(): number {
    return this.#segments.reduce((sum, segment) => sum + segment.waitingBytes, 0);
  }

  get oldestAt(): number | null {
    return earliest(this.#segments.map(({ oldestAt }) => oldestAt));
  }

  put(text: string): void {
    this.#writable().append(text);
  }

  async next(maxLines: number): Promise<Batch | null> {
    for (let segment = this.#segments[0]; segment !== undefined; segment = this.#segments[0]) {
      const { size } = segment;
      const lines = await this.#read(segment, maxLines);
      const good = lines.filter(hasText);
      if (good.length > 0) return this.#batch(segment, lines, good);
      if (lines.length > 0) {
        this.#lose(segment, lines.length);
        segment.acknowledge(lines.at(-1)?.end ?? 0);
        continue;
      }
      // A bundle was stored while the lines before it were read.
      if (segment.size > size) continue;
      // The end was cut off. A part that a failed write left is of a bundle that another spool has.
      if (segment.waitingBytes > 0) this.torn += Math.max(segment.waiting, segment.hasPart ? 0 : 1);
      this.#end(segment);
    }
    return null;
  }

  #batch(segment: Segment, lines: readonly SegmentLine[], good: readonly WholeLine[]): Batch {
    return {
      texts: good.map(({ text }) => text),
      acknowledge: (count) => {
        const last = count === good.length ? lines.at(-1) : good[count - 1];
        if (last === undefined) return;
        this.#lose(segment, lines.filter(({ text, end }) => text === null && end <= last.end).length);
        segment.waiting -= count;
        // Without noting the offset first: a full disk takes no offset, and is freed by removing the file.
        if (last.end === segment.size) this.#end(segment);
        else segment.acknowledge(last.end);
      },
      keep: () => {
        segment.keep();
      },
    };
  }

  heads(): readonly string[] {
    return this.#segments.flatMap((segment) => segment.read(1).filter(hasText)).map(({ text }) => text);
  }

  bury(text: string, code: string): void {
    const path = join(this.#dir, 'dead.ndjson');
    // A full disk may have cut off the line before.
    const start = endsWithLine(path) ? '' : '\n';
    appendFileSync(path, `${start}{"code":${JSON.stringify(code)},"bundle":${text}}\n`, { mode: 0o600 });
  }

  async close(): Promise<void> {
    for (const segment of [...this.#segments]) {
      if (segment.size === 0) this.#end(segment);
      else segment.close();
    }
  }

  /** The segment to append to. @throws Error when the folder cannot be made */
  #writable(): Segment {
    const current = this.#current;
    const isUnlinked = current?.isUnlinked === true;
    if (current !== null && !isUnlinked && takesMore(current)) return current;
    // The lines of a removed file can be read only while it is open.
    if (!isUnlinked) current?.close();
    makeFolder(this.#dir);
    this.#current = new Segment(this.#newPath());
    this.#segments.push(this.#current);
    return this.#current;
  }

  /** @throws Error for a segment that cannot be read, which is left as it is: those after it are read next */
  async #read(segment: Segment, maxLines: number): Promise<readonly SegmentLine[]> {
    const lines: SegmentLine[] = [];
    try {
      while (lines.length < maxLines) {
        const wanted = Math.min(LINES_PER_TURN, maxLines - lines.length);
        const found = segment.read(wanted, lines.at(-1)?.end);
        lines.push(...found);
        if (found.length < wanted) break;
        await turn();
      }
      return lines;
    } catch (error) {
      this.torn += segment.waiting;
      this.#forget(segment);
      segment.close();
      throw error;
    }
  }

  #lose(segment: Segment, lines: number): void {
    this.torn += lines;
    segment.lose(lines);
  }

  #end(segment: Segment): void {
    this.#forget(segment);
    segment.remove();
  }

  #forget(segment: Segment): void {
    this.#segments.splice(this.#segments.indexOf(segment), 1);
    if (segment === this.#current) this.#current = null;
  }

  #adopt(orphan: string, failed: (error: unknown) => void): void {
    try {
      const waiting = new Segment(orphan).read(Number.MAX_SAFE_INTEGER).filter(hasText).length;
      const segment = Segment.adopt(orphan, this.#newPath());
      segment.waiting = waiting;
      this.#segments.push(segment);
      this.adopted += 1;
    } catch (error) {
      // ENOENT: another process took it first.
      if (errorCode(error) !== 'ENOENT') failed(error);
    }
  }

  #newPath(): string {
    return join(this.#dir, segmentName(randomBytes(8)));
  }
}

interface WholeLine extends SegmentLine {
  readonly text: string;
}

function hasText(line: SegmentLine): line is WholeLine {
  return line.text !== null;
}

function takesMore(segment: Segment): boolean {
  return !segment.hasPart && !segment.isKept && segment.size <= SEGMENT_BYTES && !segment.isChanged;
}

/** Whether the next line begins at the end of a file, which need not be there. */
function endsWithLine(path: string): boolean {
  if (!existsSync(path)) return true;
  const fd = openSync(path, 'r');
  try {
    const last = Buffer.alloc(1);
    const { size } = fstatSync(fd);
    return size === 0 || (readSync(fd, last, 0, 1, size - 1) === 1 && last.toString() === '\n');
  } finally {
    closeSync(fd);
  }
}

/** Not `recursive`: where a file system refuses with ENOENT, as /proc does, Node.js then tries without end. */
function makeFolder(dir: string): void {
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || existsSync(dirname(dir))) throw error;
    makeFolder(dirname(dir));
    mkdirSync(dir, { mode: 0o700 });
  }
}

/**
 * @param failed called with the fault of each segment of an ended process that cannot be taken over
 * @throws Error when the folder cannot be made or read
 */
export function openFileSpool(dir: string, failed: (error: unknown) => void): Spool {
  return new FileSpool(dir, failed);
}
