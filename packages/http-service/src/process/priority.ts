import { constants, getPriority, setPriority } from 'node:os';

/** Lowers the priority of a process, or of a thread on Linux, below what it was: a service may be started with any. */
export function lowerPriority(id: number): void {
  const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority;
  setPriority(id, Math.min(PRIORITY_LOW, getPriority(id) + PRIORITY_BELOW_NORMAL));
}
