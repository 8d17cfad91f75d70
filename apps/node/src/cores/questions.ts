import * as z from 'zod';

/** The questions that the processes of a node ask each other, by name. */
export const ASK = {
  /** Worker to primary: asks for its index among the workers. */
  join: 'join',
  /** Worker to primary: reports that it listens. */
  listening: 'listening',
  points: 'points',
  takeSlot: 'take-slot',
  releaseSlot: 'release-slot',
  adminFailure: 'admin-failure',
  adminSuccess: 'admin-success',
  writeTurn: 'write-turn',
  writeDone: 'write-done',
  /** Worker to primary: ask every worker. */
  everyone: 'everyone',
  /** Primary to worker. */
  metrics: 'metrics',
  readiness: 'readiness',
  keys: 'keys',
} as const;

export const Membership = z.object({ index: z.number(), size: z.number() });
export const Listening = z.object({ url: z.string() });
export const PointsOf = z.object({ key: z.string(), points: z.number() });
export const Points = z.object({ taken: z.number(), msLeft: z.number() });
export const Slot = z.object({ kind: z.string(), holder: z.string() });
export const SlotWanted = Slot.extend({ ofAHolder: z.number(), ofAll: z.number().optional() });
/** The client of an admin route. */
export const AdminClient = z.object({ address: z.string() });
export const SecondsLeft = z.number();
export const Everyone = z.object({ name: z.enum([ASK.metrics, ASK.readiness, ASK.keys]) });
export const Answers = z.object({
  answers: z.array(z.unknown()),
  /** Workers that did not answer in time. */
  silent: z.number(),
  /** Workers that are being replaced. */
  missing: z.number(),
});
export const Readiness = z.object({ reasons: z.array(z.string()), warnings: z.array(z.string()) });
export const MetricValues = z.array(z.looseObject({ name: z.string() }));
