import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from './error-code.js';

const SEGMENT = /^(\d+)-[0-9a-f]{16}\.ndjson$/;

/** A name for a segment of this process. */
export function segmentName(random: Uint8Array): string {
  return `${process.pid}-${Buffer.from(random).toString('hex')}.ndjson`;
}

/**
 * The segments whose process has ended. A process id that is this process's may be an earlier process's, as in a
 * container: then the file is older than this process.
 */
export function orphansIn(dir: string): string[] {
  const startedAt = Date.now() - process.uptime() * 1000;
  return readdirSync(dir).flatMap((name) => {
    const pid = Number(SEGMENT.exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(pid)) return [];
    const path = join(dir, name);
    const isOrphan = pid === process.pid ? statSync(path).mtimeMs < startedAt - 2000 : !isRunning(pid);
    return isOrphan ? [path] : [];
  });
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
