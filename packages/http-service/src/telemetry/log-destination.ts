import { pino } from 'pino';

/** Maximum unwritten text; further lines are dropped. */
const MAX_WAITING_CHARACTERS = 4 * 1024 * 1024;

/**
 * Destination of log lines. Drops lines when the disk is full or the pipe is broken, retries on each write, and does not
 * block shutdown (pino would).
 * @param fd an open file, 1 for stdout
 */
export function logDestination(fd: number): ReturnType<typeof pino.destination> {
  const destination = pino.destination({ dest: fd, sync: false, maxLength: MAX_WAITING_CHARACTERS });
  const flush = destination.flushSync.bind(destination);
  destination.on('error', () => {
    destination.flushSync = () => undefined;
  });
  destination.on('drain', () => {
    destination.flushSync = flush;
  });
  return destination;
}
