import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const RETRY_MS = 500;

/**
 * Lets one process at a time do some work, such as writing node_modules. The lock of a process that died is taken over.
 * @param {string} path of the lock file, which holds the owner's process id
 * @param {(owner: number) => void} onWait called once when another process holds the lock
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 * @template T
 */
export async function withLock(path, onWait, work) {
  mkdirSync(dirname(path), { recursive: true });
  for (let hasWaited = false; !take(path); hasWaited = true) {
    const owner = ownerOf(path);
    if (owner === null) continue;
    if (!isAlive(owner)) {
      removeStale(path, owner);
      continue;
    }
    if (!hasWaited) onWait(owner);
    await sleep(RETRY_MS);
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

/** A link appears with its content or not at all, so a lock always names its owner. */
function take(path) {
  const mine = `${path}.${process.pid}`;
  writeFileSync(mine, String(process.pid));
  try {
    linkSync(mine, path);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(mine, { force: true });
  }
}

function ownerOf(path) {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return null;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

// Another process may have taken over the stale lock concurrently: then the moved one is live and is put back.
function removeStale(path, staleOwner) {
  const aside = `${path}.stale.${process.pid}`;
  try {
    renameSync(path, aside);
    if (ownerOf(aside) !== staleOwner) linkSync(aside, path);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}
