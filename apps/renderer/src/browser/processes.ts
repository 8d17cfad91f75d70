import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { lowerPriority } from '@cer/http-service/process';

/** A process's confinement, as the kernel reports it. */
export interface Confinement {
  readonly uid: number;
  /** 2 is a seccomp filter. */
  readonly seccomp: number;
  readonly effectiveCapabilities: string;
  readonly networkNamespace: string;
}

const PAGE_BYTES = 4096;

/** Resident memory of a process in bytes, 0 when it is gone. */
export function residentBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * PAGE_BYTES;
  } catch {
    return 0;
  }
}

/** Of a clock tick in /proc, on every Linux that Node.js runs on. */
const TICK_MS = 10;

/**
 * Processor time of a process with all of its threads, in ms; undefined when it is gone or the kernel does not report
 * it.
 */
export function cpuMs(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13);
    const ticks = Number(user) + Number(system);
    return Number.isSafeInteger(ticks) ? ticks * TICK_MS : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The most stack that the main thread of a process ever used, in bytes: the kernel extends a stack, and never shrinks it.
 * @throws Error when the process is gone or the kernel does not report it
 */
export function stackBytes(pid: number): number {
  const kib = /^VmStk:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
  if (kib === undefined) throw new Error('/proc/<pid>/status has no VmStk');
  return Number(kib) * 1024;
}

/** @throws Error when the process is gone or its entries cannot be read */
export function confinementOf(pid: number | 'self'): Confinement {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  const field = (name: string): string => new RegExp(`^${name}:\\s*(\\S+)`, 'm').exec(status)?.[1] ?? '';
  return {
    uid: Number(field('Uid')),
    seccomp: Number(field('Seccomp')),
    effectiveCapabilities: field('CapEff'),
    networkNamespace: readlinkSync(`/proc/${pid}/ns/net`),
  };
}

/** Whether a process exists and has not ended. */
export function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

/** Every living process of a process group, with its command line. */
export function processGroup(groupId: number): { readonly pid: number; readonly command: string }[] {
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!isInGroup(pid, groupId)) return [];
    try {
      return [{ pid, command: readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ') }];
    } catch {
      return [];
    }
  });
}

/** Whether it is the id of a living process of the group; false for anything else. */
export function isInGroup(pid: unknown, groupId: number): pid is number {
  if (!Number.isSafeInteger(pid) || Number(pid) <= 0) return false;
  try {
    const stat = readFileSync(`/proc/${Number(pid)}/stat`, 'latin1');
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(group) === groupId && state !== 'Z';
  } catch {
    return false;
  }
}

/**
 * Lowers the priority of a process's main thread, where its scripts run, below what it was: a service may have any.
 * @throws Error where that is not allowed; a process that has already ended is not an error
 */
export function giveWay(pid: number): void {
  try {
    lowerPriority(pid);
  } catch (error) {
    if (isAlive(pid)) throw error;
  }
}

/** Kills a process; a process that has already ended is not an error. */
export function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone, which is what was wanted.
  }
}
