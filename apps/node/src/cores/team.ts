import * as z from 'zod';
import type { RatePoints } from '../store/index.js';
import type { Lockout } from '../auth/lockout.js';
import type { Slots } from '../limits/slots.js';
import { Channel, type Answerer } from './channel.js';
import { Answers, ASK, Membership, Points, SecondsLeft } from './questions.js';

/** Answers that all workers give together. */
type Question = 'metrics' | 'readiness' | 'keys';

/** The workers of a node, seen by one of them. */
export interface Team {
  /** 0 for the worker that also does the work that only one process per machine may do. */
  readonly index: number;
  readonly size: number;
  /** Counted over all workers. */
  readonly points: RatePoints;
  /** Of all workers. */
  readonly slots: Slots;
  /** Wrong secrets of the admin routes, counted over all workers. */
  readonly adminLocks: Lockout;
  /** Waits until no other worker writes to the SQLite file. @returns to be called when the write is done */
  readonly writeTurn: () => Promise<() => void>;
  /** States this worker's part of an answer that all workers give together. */
  readonly contribute: (name: Question, part: Answerer) => void;
  /** The parts of all workers. */
  readonly gather: (name: Question) => Promise<z.output<typeof Answers>>;
  readonly noteListening: (url: string) => void;
}

/** Joins the other workers of this node. Only for a process that the primary process started. */
export async function joinTeam(): Promise<Team> {
  const channel = new Channel({
    send: (message, sent) => {
      if (process.send === undefined) throw new Error('a worker has no primary process');
      process.send(message, undefined, undefined, sent);
    },
    onMessage: (listener) => process.on('message', listener),
  });
  process.on('disconnect', () => {
    channel.end();
  });
  const { index, size } = Membership.parse(await channel.ask(ASK.join));
  return {
    index,
    size,
    points: { take: async (key, points) => Points.parse(await channel.ask(ASK.points, { key, points })) },
    slots: {
      take: async (kind, holder, limits) =>
        z.boolean().parse(await channel.ask(ASK.takeSlot, { kind, holder, ...limits })),
      release: (kind, holder) => {
        channel.note(ASK.releaseSlot, { kind, holder });
      },
    },
    adminLocks: {
      noteFailure: async (address) => SecondsLeft.parse(await channel.ask(ASK.adminFailure, { address })),
      forget: (address) => {
        channel.note(ASK.adminSuccess, { address });
      },
    },
    writeTurn: async () => {
      await channel.ask(ASK.writeTurn);
      return () => {
        channel.note(ASK.writeDone);
      };
    },
    contribute: (name, part) => {
      channel.on(name, part);
    },
    gather: async (name) => Answers.parse(await channel.ask(ASK.everyone, { name })),
    noteListening: (url) => {
      channel.note(ASK.listening, { url });
    },
  };
}
