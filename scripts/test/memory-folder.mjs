// A place in memory for the temporary files of the tests: their databases write and sync all the time.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const IN_MEMORY = '/dev/shm';
/** A whole run has up to 1 GB of temporary files at a time. */
const ROOM_BYTES = 4 * 1024 ** 3;

/**
 * Makes a folder in memory.
 * @param {{parent?: string, room?: number}} options `room`: what must be free in the parent, and twice as much of the
 *   system's memory, in bytes
 * @returns {string | undefined} its path, or undefined where there is no such parent, no room, or where no file may run as
 *   a program
 */
export function memoryFolder({ parent = IN_MEMORY, room = ROOM_BYTES } = {}) {
  if (process.availableMemory() < 2 * room || roomIn(parent) < room) return undefined;
  const folder = mkdtempSync(join(parent, 'cer-tests-'));
  // Browsers of the tests run as another user.
  chmodSync(folder, 0o711);
  const program = join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 });
  const { status } = spawnSync(program);
  rmSync(program);
  if (status === 0) return folder;
  rmSync(folder, { recursive: true });
  return undefined;
}

/** Free bytes of the file system of a folder; 0 where there is no such folder, as on other systems than Linux. */
function roomIn(folder) {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch (error) {
    if (error.code === 'ENOENT') return 0;
    throw error;
  }
}
