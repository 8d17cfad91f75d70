// The resources of the services: memory, descriptors, threads, and the size of write-ahead logs. Linux only.
import { readdirSync, statSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { childrenOf, textOf } from './system.mjs';

const MIB = 1024 * 1024;

/**
 * @param {{processes: () => Map<string, number>, folder: string}} system
 * @returns {{memoryMib: object, descriptors: object, threads: object, walMib: number, loadAverage: number}} by service;
 *   a service includes the processes that it started
 */
export function takeSample({ processes, folder }) {
  const sample = {
    memoryMib: {},
    descriptors: {},
    threads: {},
    walMib: walBytes(folder) / MIB,
    loadAverage: loadavg()[0],
  };
  for (const [name, pid] of processes()) {
    const tree = treeOf(pid);
    const status = tree.map((each) => textOf(`/proc/${each}/status`));
    sample.memoryMib[name] = sum(status.map((text) => numberIn(text, /VmRSS:\s+(\d+) kB/))) / 1024;
    sample.threads[name] = sum(status.map((text) => numberIn(text, /Threads:\s+(\d+)/)));
    sample.descriptors[name] = sum(tree.map(descriptorsOf));
  }
  return sample;
}

function treeOf(pid) {
  return [pid, ...childrenOf(pid).flatMap(treeOf)];
}

function descriptorsOf(pid) {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch (error) {
    // The process has ended, or belongs to the jail's user.
    if (['ENOENT', 'ESRCH', 'EACCES'].includes(error.code)) return 0;
    throw error;
  }
}

function walBytes(folder) {
  const names = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('-wal'));
  return sum(names.map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0));
}

function numberIn(text, pattern) {
  return Number(pattern.exec(text)?.[1] ?? 0);
}

function sum(numbers) {
  return numbers.reduce((total, each) => total + each, 0);
}
