import { write, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DestinationStream } from 'pino';

/** Maximum unwritten text, in characters; further lines are dropped. */
const MAX_WAITING_CHARACTERS = 4 * 1024 * 1024;
/** Pause before a full pipe is written to again, in ms. */
const RETRY_MS = 20;
/** Maximum pauses for a full pipe when the process exits. */
const RETRIES_AT_EXIT = 50;
/** Maximum wait of a closing process for its lines, in ms. */
const WRITTEN_WITHIN_MS = 5_000;

/** Where log lines go. */
export interface LogDestination extends DestinationStream {
  /**
   * Writes all waiting lines now, or drops them where that fails. A write that another thread has begun may end after
   * them.
   */
  flushSync(): void;
  /** Resolves when no line waits or is being written. */
  written(): Promise<void>;
}

const open = new Set<LogDestination>();

/**
 * Writes log lines to an open file, several per write. Drops lines when the disk is full or the pipe is broken, and
 * tries again with the next line. A failure never delays the exit of the process: pino's own destination would repeat
 * the last write without end.
 * @param fd an open file, 1 for stdout
 */
export function logDestination(fd: number): LogDestination {
  let waiting = '';
  let isWriting = false;
  let whenWritten: (() => void)[] = [];
  /** The part that a full pipe did not take yet. */
  let rest: Buffer = Buffer.alloc(0);

  const writeWaiting = (): void => {
    if (waiting === '') {
      isWriting = false;
      for (const resolve of whenWritten) resolve();
      whenWritten = [];
      return;
    }
    isWriting = true;
    const lines = Buffer.from(waiting);
    waiting = '';
    writeFrom(lines, 0);
  };
  const writeFrom = (lines: Buffer, start: number): void => {
    write(fd, lines, start, lines.length - start, null, (error, written) => {
      rest = Buffer.alloc(0);
      if (isFullPipe(error)) {
        rest = lines.subarray(start);
        setTimeout(() => {
          writeFrom(rest, 0);
        }, RETRY_MS).unref();
      } else if (error === null && start + written < lines.length) {
        writeFrom(lines, start + written);
      } else {
        writeWaiting();
      }
    });
  };

  const destination: LogDestination = {
    write: (line) => {
      if (waiting.length + line.length > MAX_WAITING_CHARACTERS) return;
      waiting += line;
      if (!isWriting) writeWaiting();
    },
    flushSync: () => {
      const lines = Buffer.concat([rest, Buffer.from(waiting)]);
      rest = Buffer.alloc(0);
      waiting = '';
      writeNow(fd, lines);
    },
    written: () =>
      new Promise((resolve) => {
        if (isWriting) whenWritten.push(resolve);
        else resolve();
      }),
  };
  if (open.size === 0) process.once('exit', flushAll);
  open.add(destination);
  return destination;
}

/**
 * Waits until the lines of all destinations are written, so that an exit has none to write beside another thread. Gives
 * up on a pipe that stays full.
 */
export async function logWritten(): Promise<void> {
  const all = Promise.all([...open].map((destination) => destination.written()));
  await Promise.race([all, sleep(WRITTEN_WITHIN_MS, undefined, { ref: false })]);
}

/** Lines that cannot be written are lost: there is no other place to report that. */
function writeNow(fd: number, lines: Buffer): void {
  let start = 0;
  for (let retries = 0; start < lines.length;) {
    try {
      start += writeSync(fd, lines, start);
    } catch (error) {
      if (!isFullPipe(error) || retries === RETRIES_AT_EXIT) return;
      retries += 1;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
}

function isFullPipe(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'EAGAIN';
}

function flushAll(): void {
  for (const destination of open) destination.flushSync();
}
