import { pino } from 'pino';

/** What may wait to be written; beyond it lines are lost, not the service. */
const MAX_WAITING_CHARACTERS = 4 * 1024 * 1024;

/**
 * Where log lines go. A disk that is full behind it, or a pipe that broke, costs lines: the service goes on, tries each
 * time again, and never waits for it when it ends, as pino would by itself for ever.
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
