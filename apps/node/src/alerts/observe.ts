import type { Logger } from '@cer/http-service/process';
import type { AlertState, AlertStore } from '../store/index.js';
import type { FiringAlert } from './alert-types.js';
import type { AlertEndpoint } from './endpoints.js';
import { messagesOf } from './messages.js';
import type { AlertSource, Observation } from './source.js';

/** Shortest time between the end of a condition and its next alert, in ms. */
const COOL_DOWN_MS = 10 * 60_000;
/** A change further in the future, in ms, was stored before the clock was set back: it says nothing about now. */
const CLOCKS_APART_MS = 5 * 60_000;

export interface ObserveDeps {
  readonly alerts: Pick<AlertStore, 'states' | 'change'>;
  readonly sources: readonly AlertSource[];
  readonly logger: Logger;
}

/** The endpoints that a condition concerns, of operator and tenants. */
export type EndpointsFor = (alert: FiringAlert) => Promise<readonly AlertEndpoint[]>;

/**
 * Stores every change of a condition, with its messages. Every process observes; of those that see a change, one stores
 * it. A condition ends when a process that has looked since it began finds its end.
 * @returns whether a message was stored
 */
export async function observeAll(
  { alerts, sources, logger }: ObserveDeps,
  endpointsFor: EndpointsFor,
  at: Date,
): Promise<boolean> {
  const states = await alerts.states();
  let hasMessages = false;
  for (const source of sources) {
    for (const observation of await changesOf(source, states, at, logger)) {
      const { type, subject, isFiring } = observation;
      const messages = messagesOf(await endpointsFor(observation), observation, isFiring, at);
      const isFirst = await alerts.change({ type, subject, isFiring, changedMs: at.getTime() }, messages);
      if (isFirst) logger.warn({ alert: type, subject, isFiring }, 'the state of an alert changed');
      hasMessages ||= isFirst && messages.length > 0;
    }
  }
  return hasMessages;
}

async function changesOf(
  source: AlertSource,
  states: readonly AlertState[],
  at: Date,
  logger: Logger,
): Promise<readonly Observation[]> {
  try {
    const observed = await source.observe(at);
    const known = new Map(states.filter(({ type }) => type === source.type).map((state) => [state.subject, state]));
    const changed = observed.filter(({ subject, isFiring, lookedMs }) => {
      const state = known.get(subject);
      if (isFiring === (state?.isFiring ?? false)) return false;
      if (state === undefined || state.changedMs > at.getTime() + CLOCKS_APART_MS) return true;
      // Another process has looked since, and knows better.
      if (lookedMs !== undefined && lookedMs <= state.changedMs) return false;
      return !isFiring || at.getTime() - state.changedMs >= COOL_DOWN_MS;
    });
    if (!source.isComplete) return changed;
    const seen = new Set(observed.map(({ subject }) => subject));
    const ended = [...known.values()].filter(({ subject, isFiring }) => isFiring && !seen.has(subject));
    return [...changed, ...ended.map(({ subject }) => ({ type: source.type, subject, isFiring: false, details: {} }))];
  } catch (error) {
    // A source that fails does not keep others from being observed.
    logger.warn({ err: error, alert: source.type }, 'a condition could not be observed; it is tried again');
    return [];
  }
}
