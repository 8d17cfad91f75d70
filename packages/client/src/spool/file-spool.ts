import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCode } from './error-code.js';
import { orphansIn, segmentName } from './orphans.js';
import { Segment, type SegmentLine } from './segment.js';
import type { Batch, Spool, SpoolLimits } from './spool.js';

/** A segment with more bytes is ended, so that attested bundles leave the disk. */
const SEGMENT_BYTES = 8 * 1024 * 1024;

/** The folder, shared with other processes, in which this one has segments. */
class FileSpool implements Spool {
  readonly #dir: string;
  readonly #limits: SpoolLimits;
  /** Oldest first; the last one may be appended to. */
  readonly #segments: Segment[] = [];
  #current: Segment | null = null;
  #lastFailed = false;
  waiting = 0;
  torn = 0;
  adopted = 0;

  constructor(dir: string, limits: SpoolLimits) {
    this.#dir = dir;
    this.#limits = limits;
    makeFolder(dir);
    for (const orphan of orphansIn(dir)) this.#adopt(orphan);
  }

  get waitingBytes(): number {
    return this.#segments.reduce((sum, segment) => sum + segment.waitingBytes, 0);
  }

  get oldestAt(): number | null {
    const times = this.#segments.map(({ oldestAt }) => oldestAt).filter((at) => at !== null);
    return times.length === 0 ? null : Math.min(...times);
  }

  put(text: string): boolean {
    if (this.waitingBytes + text.length > this.#limits.maxBytes) return false;
    // After a failed write the segment may end within a line.
    if (this.#lastFailed || this.#current === null || this.#current.size > SEGMENT_BYTES) this.#startSegment();
    this.#lastFailed = true;
    this.#current?.append(text);
    this.#lastFailed = false;
    this.waiting += 1;
    return true;
  }

  async next(maxLines: number): Promise<Batch | null> {
    for (let segment = this.#segments[0]; segment !== undefined; segment = this.#segments[0]) {
      const lines = segment.read(maxLines);
      const good = lines.filter(hasText);
      if (good.length > 0) return this.#batch(segment, lines, good);
      if (lines.length > 0) {
        this.torn += lines.length;
        segment.acknowledge(lines.at(-1)?.end ?? 0);
        continue;
      }
      const isCurrent = segment === this.#current && !this.#lastFailed;
      if (segment.waitingBytes > 0) {
        // The last line of this segment was cut off.
        if (isCurrent) return null;
        this.torn += 1;
      }
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
        this.torn += lines.filter(({ text, end }) => text === null && end <= last.end).length;
        this.waiting -= count;
        segment.acknowledge(last.end);
        if (segment.waitingBytes === 0) this.#end(segment);
      },
    };
  }

  bury(text: string, code: string): void {
    appendFileSync(join(this.#dir, 'dead.ndjson'), `{"code":${JSON.stringify(code)},"bundle":${text}}\n`, {
      mode: 0o600,
    });
  }

  async close(): Promise<void> {
    for (const segment of this.#segments) segment.close();
  }

  #startSegment(): void {
    this.#current?.close();
    this.#current = new Segment(this.#newPath());
    this.#segments.push(this.#current);
  }

  #end(segment: Segment): void {
    segment.remove();
    this.#segments.splice(this.#segments.indexOf(segment), 1);
    if (segment === this.#current) this.#current = null;
  }

  #adopt(orphan: string): void {
    let segment;
    try {
      segment = Segment.adopt(orphan, this.#newPath());
    } catch (error) {
      // Another process took it first.
      if (errorCode(error) === 'ENOENT') return;
      throw error;
    }
    this.#segments.push(segment);
    this.adopted += 1;
    this.waiting += segment.read(Number.MAX_SAFE_INTEGER).filter(hasText).length;
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

/** @throws Error when the folder cannot be made or read */
export function openFileSpool(dir: string, limits: SpoolLimits): Spool {
  return new FileSpool(dir, limits);
}
