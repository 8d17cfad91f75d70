import { SlotsInMemory, type Slots } from '../limits/slots.js';
import { pointsInMemory } from '../store/sql/points-in-memory.js';
import type { RatePoints } from '../store/index.js';
import type { Team } from './team.js';

/** The counters with which a process applies limits of the whole node. */
export interface NodeLimits {
  readonly points: RatePoints;
  readonly slots: Slots;
  /** This process's share of a memory limit. */
  readonly partOf: (bytes: number) => number;
}

/** @param team null for a node that is one process */
export function nodeLimits(team: Pick<Team, 'points' | 'slots' | 'size'> | null): NodeLimits {
  if (team === null) return { points: pointsInMemory(), slots: new SlotsInMemory(), partOf: (bytes) => bytes };
  const { points, slots, size } = team;
  return { points, slots, partOf: (bytes) => Math.ceil(bytes / size) };
}

/** Large bodies, large answers and large lines in memory: each kind at most this many bytes. */
export const BYTES_AT_ONCE = 256 * 1024 * 1024;
