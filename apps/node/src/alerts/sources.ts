import { logWarnings } from '../log/log-state.js';
import type { NodeLog } from '../log/node-log.js';
import type { Store, TimestampStore } from '../store/index.js';
import { isTimestampable } from '../timestamps/timestamped-record.js';
import type { AlertSource } from './source.js';

const LATE_MS = 10 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
/** Maximum unreadable records passed per turn. */
const PASSED_A_TURN = 16;

/** The oldest record without a timestamp is the same one for ten minutes. A process that has not waited knows nothing. */
export function timestampingSource({ timestamps }: Pick<Store, 'timestamps'>): AlertSource {
  let oldest: { readonly seq: number; readonly seenMs: number } | null = null;
  const oldestWaiting = waitingRecords(timestamps);
  const condition = { type: 'timestamping.failing', subject: '' } as const;
  const ended = { ...condition, isFiring: false, details: {} };
  return {
    type: 'timestamping.failing',
    isComplete: false,
    observe: async (at) => {
      const seq = await oldestWaiting();
      if (seq === 'unknown') return [];
      const before = oldest;
      if (seq === null) {
        oldest = null;
        return [ended];
      }
      // A recertified record may become the oldest although no record got its timestamp.
      const isSame = before !== null && seq <= before.seq;
      oldest = { seq, seenMs: isSame ? before.seenMs : at.getTime() };
      if (before !== null && !isSame) return [ended];
      const waitedMs = at.getTime() - oldest.seenMs;
      if (waitedMs < LATE_MS) return [];
      return [{ ...condition, isFiring: true, details: { waitingSeconds: Math.floor(waitedMs / 1000) } }];
    },
  };
}

/**
 * Finds the oldest record that the worker can timestamp: those that it skips as unreadable would always be the oldest.
 * @returns its `seq`; null: none; `unknown`: the turn passed only unreadable records, and the next one continues there
 */
function waitingRecords(timestamps: TimestampStore): () => Promise<number | 'unknown' | null> {
  let after = 0;
  return async () => {
    for (let passed = 0; passed < PASSED_A_TURN; passed += 1) {
      const [waiting] = await timestamps.untimestamped(after, 1);
      if (waiting === undefined) {
        after = 0;
        return null;
      }
      if (isTimestampable(waiting)) return waiting.seq;
      after = waiting.seq;
    }
    return 'unknown';
  };
}

/** Certificates that the node refused for good, as producers count them: once for each tenant and day. */
export function deadLetterSource({ coverage }: Pick<Store, 'coverage'>): AlertSource {
  return {
    type: 'dead_letters.reported',
    isComplete: false,
    observe: async (at) => {
      // A report may reach the node on the day after it was made.
      const from = new Date(at.getTime() - DAY_MS).toISOString().slice(0, 10);
      const found = await coverage.deadLetters(from);
      return found.map(({ tenantId, day, count }) => ({
        type: 'dead_letters.reported',
        tenantId,
        subject: `${tenantId} ${day}`,
        isFiring: true,
        details: { tenantId, day, count },
      }));
    },
  };
}

/** A published successor takes over at its time: verifiers that cache key sets have until then. */
export function retiringKeySource({ signingKeys }: Pick<Store, 'signingKeys'>): AlertSource {
  return {
    type: 'signing_key.retiring',
    isComplete: true,
    observe: async (at) => {
      const { keys } = await signingKeys.read();
      const successors = keys.filter(
        ({ status, notBefore }) => status === 'active' && Date.parse(notBefore) > at.getTime(),
      );
      return successors.map(({ kid, notBefore }) => ({
        type: 'signing_key.retiring',
        subject: kid,
        isFiring: true,
        details: { successorKid: kid, signsFrom: notBefore },
      }));
    },
  };
}

/** The keys revoked within a day: certificates that they signed stop verifying, unless an earlier timestamp keeps them. */
export function revokedKeySource({ signingKeys }: Pick<Store, 'signingKeys'>): AlertSource {
  return {
    type: 'signing_key.revoked',
    isComplete: false,
    observe: async (at) => {
      const { keys } = await signingKeys.read();
      return keys.flatMap(({ kid, revokedAt, revocationReason, compromisedSince }) => {
        if (revokedAt === null || Date.parse(revokedAt) < at.getTime() - DAY_MS) return [];
        const details = {
          ...{ kid, revokedAt },
          ...(revocationReason !== null && { reason: revocationReason }),
          ...(compromisedSince !== null && { compromisedSince }),
        };
        return [{ type: 'signing_key.revoked', subject: kid, isFiring: true, details } as const];
      });
    },
  };
}

/** A log that makes no further heads: witnesses saw another history than the database has. */
export function haltedLogSource({ log: heads }: Pick<Store, 'log'>, log: NodeLog | null): AlertSource {
  return {
    type: 'log.halted',
    isComplete: true,
    observe: async () =>
      (await logWarnings(heads, log)).map((warning) => ({
        type: 'log.halted',
        subject: warning,
        isFiring: true,
        details: {},
      })),
  };
}

/** This process would answer 503 to `GET /ready`. @param host its name, which distinguishes the nodes of a database */
export function readinessSource(reasons: () => Promise<readonly string[]>, host: string): AlertSource {
  return {
    type: 'node.not_ready',
    isComplete: false,
    observe: async () => {
      const found = await reasons();
      const details = { reasons: found.join('; ') };
      return [{ type: 'node.not_ready', subject: host, isFiring: found.length > 0, details }];
    },
  };
}
