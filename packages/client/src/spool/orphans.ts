import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { processWide } from '../calls/process-wide.js';
import { errorCode } from './error-code.js';

const SEGMENT = /^(\d+)-[0-9a-f]{16}\.ndjson$/;

/** The names of the segments of this process. */
const ownNames = processWide('segments of this process', () => new Set<string>());

/** A new name for a segment of this process. */
export function segmentName(random: Uint8Array): string {
  const name = `${process.pid}-${Buffer.from(random).toString('hex')}.ndjson`;
  ownNames().add(name);
  return name;
}

/** The segments of a folder, and whether their process runs, by the order of their names. */
export function segmentsIn(dir: string): readonly { readonly name: string; readonly isRunning: boolean }[] {
  return readdirSync(dir)
    .filter((name) => SEGMENT.test(name))
    .toSorted()
    .map((name) => ({ name, isRunning: !isOrphan(dir, name) }));
}

/** The paths of the segments whose process has ended. */
export function orphansIn(dir: string): string[] {
  return segmentsIn(dir).flatMap(({ name, isRunning: runs }) => (runs ? [] : [join(dir, name)]));
}

/**
 * A process id that is this process's may be an earlier process's, as in a container: then the file is older than this
 * process. The clock decides that only for files whose names this process did not make: it may have been set.
 */
function isOrphan(dir: string, name: string): boolean {
  if (ownNames().has(name)) return false;
  const pid = Number(SEGMENT.exec(name)?.[1]);
  if (pid !== process.pid) return !isRunning(pid);
  // Another thread, which has the same id, may have sent and removed it.
  const facts = statSync(join(dir, name), { throwIfNoEntry: false });
  return facts !== undefined && facts.mtimeMs < Date.now() - process.uptime() * 1000 - 2000;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs under another user.
    return errorCode(error) === 'EPERM';
  }
}
