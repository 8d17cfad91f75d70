import { setTimeout as sleep } from 'node:timers/promises';
import { outageLog, repeat, type Logger, type Repeating } from '@cer/http-service/process';
import type { Store } from '../store/index.js';
import { startWorker, type Worker } from '../worker/worker.js';
import { isForTenants } from './alert-types.js';
import { deliverDue, type Recipients } from './deliver.js';
import { createDirectAlerts } from './direct-alert.js';
import { readEndpoints, type AlertEndpoint } from './endpoints.js';
import { observeAll, type EndpointsFor } from './observe.js';
import type { PostWebhook } from './post-webhook.js';
import type { AlertSource } from './source.js';
import type { TenantRecipients } from './tenant-recipients.js';

const OBSERVE_EVERY_MS = 15_000;
const DELIVER_EVERY_MS = 5_000;
const DAY_MS = 24 * 60 * 60_000;
const KEPT_DAYS = 90;
const FORGET_EVERY_MS = 60 * 60_000;

export interface AlertsDeps {
  /** ALERTS_FILE; it is read again at each turn, so that secrets rotate without a restart. Null: none. */
  readonly file: string | null;
  /** Null: tenants have no webhooks. */
  readonly webhooks: TenantRecipients | null;
  readonly store: Pick<Store, 'alerts' | 'leases'>;
  readonly sources: readonly AlertSource[];
  /** Sources of the operator that may take minutes: their turns are separate, so that they delay no other alert. */
  readonly slowSources: readonly AlertSource[];
  /** Sent from memory when the database cannot be reached. */
  readonly readiness: AlertSource;
  /** Posts to the operator's endpoints. */
  readonly post: PostWebhook;
  readonly now: () => Date;
  readonly logger: Logger;
  readonly observeEveryMs?: number;
  readonly deliverEveryMs?: number;
}

/** Observes conditions in every process, and delivers messages from one. @see docs/spec.md, "Events" */
export function startAlerts(deps: AlertsDeps): { readonly stop: () => Promise<void> } {
  const { store, file, webhooks, readiness, slowSources, post, now, logger } = deps;
  const { observeEveryMs = OBSERVE_EVERY_MS, deliverEveryMs = DELIVER_EVERY_MS } = deps;
  const { alerts } = store;
  const direct = createDirectAlerts(post, logger);
  const endpointsNow = file === null ? () => [] : lastReadable(file, logger);
  const sources = file === null ? deps.sources.filter(({ type }) => isForTenants(type)) : [readiness, ...deps.sources];

  // A separate worker sends to tenants' receivers, so that hanging ones do not delay the operator's alerts.
  const deliverer = (name: string, recipients: Recipients, postTo: PostWebhook): Worker => {
    let woken = new AbortController();
    const pause = async (signal: AbortSignal): Promise<void> => {
      woken = new AbortController();
      const either = AbortSignal.any([signal, woken.signal]);
      // Rejects only when interrupted.
      await sleep(deliverEveryMs, undefined, { signal: either, ref: false }).catch(() => undefined);
    };
    const worker = startWorker({
      name,
      everyMs: deliverEveryMs,
      task: (signal) =>
        deliverDue({ alerts, post: postTo, now, logger }, recipients, { signal, pause: () => pause(signal) }),
      leases: store.leases,
      logger,
    });
    return {
      wake: () => {
        woken.abort();
        worker.wake();
      },
      stop: () => worker.stop(),
    };
  };
  const workers = [
    ...(file === null ? [] : [deliverer('alerts', { whose: 'operator', named: async () => endpointsNow() }, post)]),
    ...(webhooks === null
      ? []
      : [deliverer('tenant-alerts', { whose: 'tenants', named: webhooks.named }, webhooks.post)]),
  ];
  const forgetting = startWorker({
    name: 'alerts-forgotten',
    everyMs: FORGET_EVERY_MS,
    task: () => alerts.forget(now().getTime() - KEPT_DAYS * DAY_MS),
    leases: store.leases,
    logger,
  });

  const storing = outageLog(logger, {
    level: 'warn',
    failed: 'alerts cannot be stored; readiness is reported from memory',
    succeeded: 'alerts are stored again',
  });
  const endpointsFor: EndpointsFor = async (alert) => [
    ...endpointsNow(),
    ...((await webhooks?.endpointsFor(alert)) ?? []),
  ];
  const storeChanges = async (observed: readonly AlertSource[], at: Date): Promise<void> => {
    const hasMessages = await observeAll({ alerts, sources: observed, logger }, endpointsFor, at);
    if (hasMessages) for (const worker of workers) worker.wake();
  };
  const observe = async (): Promise<void> => {
    if (file === null && (webhooks === null || (await webhooks.isEmpty()))) return;
    const at = now();
    try {
      await storeChanges(sources, at);
      storing.succeeded();
    } catch (error) {
      storing.failed(error);
      for (const observation of await readiness.observe(at)) await direct.send(endpointsNow(), observation, at);
      return;
    }
    await direct.send(endpointsNow(), null, at);
  };

  const observing = (task: () => Promise<void>): Repeating => {
    const outage = outageLog(logger, {
      level: 'error',
      failed: 'alerts could not be observed; the next turn comes as planned',
      succeeded: 'alerts are observed again',
    });
    return repeat({ everyMs: observeEveryMs, task: () => task().then(outage.succeeded), onFailure: outage.failed });
  };
  const observers = [
    observing(observe),
    ...(file === null ? [] : slowSources.map((source) => observing(() => storeChanges([source], now())))),
  ];
  return {
    stop: async () => {
      await Promise.all(observers.map((observer) => observer.stop()));
      await Promise.all([...workers, forgetting].map((worker) => worker.stop()));
    },
  };
}

/** A file that is being replaced or is invalid changes nothing: the earlier endpoints stay. */
function lastReadable(file: string, logger: Logger): () => readonly AlertEndpoint[] {
  let endpoints = readEndpoints(file);
  const reading = outageLog(logger, {
    level: 'error',
    failed: 'ALERTS_FILE cannot be used; its last content applies',
    succeeded: 'ALERTS_FILE is used again',
  });
  return () => {
    try {
      endpoints = readEndpoints(file);
      reading.succeeded();
    } catch (error) {
      reading.failed(error);
    }
    return endpoints;
  };
}
