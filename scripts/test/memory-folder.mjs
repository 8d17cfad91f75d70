// A place in memory for the temporary files of the tests: their databases write and sync all the time.
import { spawnSync } from 'node:child_process';
import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const IN_MEMORY = '/dev/shm';
/** A whole run has up to 1 GB of temporary files at a time. */
const ROOM_BYTES = 4 * 1024 ** 3;

/**
 * Makes a folder in memory.
 * @param {{parent?: string, room?: number}} options `room`: what must be free in the parent, and twice as much of the
 *   system's memory, in bytes
 * @returns {string | undefined} its path, or undefined where this user may not write to the parent, it has no room, or no
 *   file in it may run as a program
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

/** Bytes that this user may write into a folder; 0 where there is no such folder, as on other systems than Linux. */
function roomIn(folder) {
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch (error) {
    if (['ENOENT', 'EACCES', 'EROFS'].includes(error.code)) return 0;
    throw error;
  }
}
