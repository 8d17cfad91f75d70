import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from './spool/error-code.js';
import { segmentsIn } from './spool/orphans.js';
import { Segment } from './spool/segment.js';
import { earliest, sealedAt } from './spool/spool.js';

/** A segment of a spool folder as it is on the disk. */
export interface SpoolSegment {
  /** Its file name. */
  readonly name: string;
  /** Whether the process that writes it runs on this machine. */
  readonly isRunning: boolean;
  /** The bundles that wait, as JSON text, oldest first. */
  readonly bundles: readonly string[];
  /** Lines that are torn or changed. */
  readonly torn: number;
}

export interface SpoolFolder {
  readonly segments: readonly SpoolSegment[];
  /** Bundles that a node refused for good, kept in `dead.ndjson`. */
  readonly dead: number;
  /** When the oldest waiting bundle was sealed, in milliseconds since 1970; null when none waits. */
  readonly oldestAt: number | null;
}

/** A process id that no system gives. */
const NO_PROCESS = 999_999_999;

/**
 * Makes all segments those of ended processes, for a folder that no process of this machine writes: in another machine or
 * container the same process ids are other processes.
 * @throws Error when a segment cannot be renamed
 */
export function releaseSegments(dir: string): void {
  for (const { name, isRunning } of segmentsIn(dir)) {
    if (isRunning) Segment.adopt(join(dir, name), join(dir, name.replace(/^\d+/, String(NO_PROCESS))));
  }
}

/**
 * Reads the folder of a spool and changes nothing.
 * @throws Error with the code of the system when the folder or a segment cannot be read
 */
export function readSpoolFolder(dir: string): SpoolFolder {
  const segments = segmentsIn(dir).flatMap(({ name, isRunning }) => {
    try {
      return [{ name, isRunning, ...contentOf(new Segment(join(dir, name)), isRunning) }];
    } catch (error) {
      // A running process sent its bundles and removed it.
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    }
  });
  const buried = join(dir, 'dead.ndjson');
  return {
    segments,
    dead: existsSync(buried) ? readFileSync(buried, 'utf8').split('\n').length - 1 : 0,
    oldestAt: earliest(segments.flatMap(({ bundles }) => bundles.slice(0, 1).map(sealedAt))),
  };
}

function contentOf(segment: Segment, isRunning: boolean): Pick<SpoolSegment, 'bundles' | 'torn'> {
  const lines = segment.read(Number.MAX_SAFE_INTEGER);
  const bundles = lines.flatMap(({ text }) => (text === null ? [] : [text]));
  const read = lines.at(-1)?.end ?? segment.size - segment.waitingBytes;
  // A line that a running process writes is not torn yet.
  const cutOff = !isRunning && read < segment.size ? 1 : 0;
  return { bundles, torn: lines.length - bundles.length + cutOff };
}
