import { randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { silentLogger } from '@cer/http-service/process';
import type { AlertEndpoint } from '../../src/alerts/endpoints.js';
import type { AlertSource } from '../../src/alerts/source.js';
import { createPostWebhook } from '../../src/alerts/post-webhook.js';
import { resolveBySystem } from '../../src/alerts/public-address.js';
import { readinessSource } from '../../src/alerts/sources.js';
import { startAlerts, type AlertsDeps } from '../../src/alerts/start-alerts.js';
import type { Store } from '../../src/store/index.js';
import { startTestNode, type TestNode } from '../test-node.js';
import { startReceiver, type Receiver } from './receiver.js';

const NEVER_MS = 3_600_000;

interface HangingReceiver {
  readonly url: string;
  /** Requests that wait for an answer. */
  readonly open: () => number;
  /** All requests so far. */
  readonly requests: () => number;
  /** Resolves when there were that many. */
  readonly until: (count: number) => Promise<void>;
  /** Answers those that wait and all later ones. */
  readonly recover: () => void;
  readonly close: () => Promise<void>;
}

async function startHangingReceiver(): Promise<HangingReceiver> {
  const open = new Set<() => void>();
  let isWell = false;
  let requests = 0;
  let noticed = (): void => undefined;
  const server = createServer((request, response) => {
    request.resume();
    requests += 1;
    const answer = (): void => {
      response.end();
    };
    if (isWell) answer();
    else open.add(answer);
    response.on('close', () => open.delete(answer));
    noticed();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open: () => open.size,
    requests: () => requests,
    until: async (count) => {
      while (requests < count) await new Promise<void>((resolve) => (noticed = resolve));
    },
    recover: () => {
      isWell = true;
      for (const answer of open) answer();
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('messages to webhooks', () => {
  let node: TestNode;
  let hanging: HangingReceiver;
  let receiver: Receiver;
  let processes: { readonly stop: () => Promise<void> }[];
  const secrets = [`whsec_${randomBytes(32).toString('base64')}`];
  const now = (): Date => new Date();

  beforeEach(async () => {
    processes = [];
    [node, hanging, receiver] = await Promise.all([startTestNode(), startHangingReceiver(), startReceiver()]);
  });
  afterEach(async () => {
    hanging.recover();
    await stop();
    await Promise.all([node.close(), hanging.close(), receiver.close()]);
  });

  const start = (store: Pick<Store, 'alerts' | 'leases'> = node.store, replaced: Partial<AlertsDeps> = {}): void => {
    const endpoint = (name: string): AlertEndpoint => ({
      ...{ tenantId: null, name, secrets, types: null },
      url: name.startsWith('hanging') ? hanging.url : `${receiver.url}/${name}`,
    });
    const post = createPostWebhook({ allowsPrivate: true, resolve: resolveBySystem, now });
    const running = startAlerts({
      ...{ file: null, store, sources: [], slowSources: [], post, now, logger: silentLogger() },
      readiness: readinessSource(async () => [], 'host'),
      webhooks: {
        isEmpty: async () => false,
        endpointsFor: async ({ tenantId = null }) => [{ ...endpoint('other'), tenantId }],
        named: async (names) => names.map(endpoint),
        post,
      },
      ...{ observeEveryMs: 1, deliverEveryMs: 1 },
      ...replaced,
    });
    processes.push(running);
  };
  const stop = async (): Promise<void> => {
    await Promise.all(processes.map((one) => one.stop()));
  };
  const add = async (tenantId: string, endpoint: string, count = 1): Promise<void> => {
    for (let added = 0; added < count; added += 1) {
      const deliveryId = `msg_${randomUUID()}`;
      const createdMs = Date.now();
      await node.store.alerts.addMessage(
        { tenantId, deliveryId, endpoint, type: 'webhook.test', payload: '{}', createdMs },
        1000,
      );
    }
  };
  /** States and attempts of the messages to a webhook, oldest first. */
  const messages = async (tenantId: string, webhookId: string): Promise<readonly string[]> =>
    (await node.store.alerts.deliveriesOf({ tenantId, webhookId }, Number.MAX_SAFE_INTEGER, 1000))
      .map(({ state, attempts }) => `${state} ${attempts}`)
      .toReversed();

  it('of other tenants and webhooks arrive while a receiver hangs', async () => {
    await add('one', 'hanging', 30);
    start();
    await hanging.until(1);
    for (const [tenantId, endpoint] of [
      ['two', 'other-tenant'],
      ['one', 'other-webhook'],
    ] as const) {
      const next = receiver.next();
      await add(tenantId, endpoint);
      expect((await next).path).toBe(`/${endpoint}`);
      expect(hanging.open()).toBeGreaterThan(0);
    }
  });

  it('about a new condition leave at once while a receiver hangs', async () => {
    await add('one', 'hanging');
    const details = { tenantId: 'two', month: '2026-01', percent: 80, limit: 10 };
    const source: AlertSource = {
      type: 'quota.reached',
      isComplete: false,
      observe: async () =>
        hanging.requests() === 0
          ? []
          : [{ type: 'quota.reached', tenantId: 'two', subject: 'two', isFiring: true, details }],
    };
    const next = receiver.next();
    start(node.store, { sources: [source], deliverEveryMs: NEVER_MS });
    expect((await next).path).toBe('/other');
    expect(hanging.open()).toBe(1);
  });

  it('occupy no more than two connections of a receiver', async () => {
    await add('one', 'hanging', 30);
    start();
    await hanging.until(2);
    for (let sent = 0; sent < 10; sent += 1) {
      const next = receiver.next();
      await add('one', 'other');
      await next;
    }
    expect(hanging.open()).toBe(2);
    hanging.recover();
    await hanging.until(30);
    await stop();
    expect(await messages('one', 'hanging')).toEqual(Array.from({ length: 30 }, () => 'delivered 1'));
  });

  it('that run are completed at stop, and no others are started', async () => {
    await add('one', 'hanging', 5);
    start();
    await hanging.until(2);
    const stopped = stop();
    hanging.recover();
    await stopped;
    expect(await messages('one', 'hanging')).toEqual([
      ...['delivered 1', 'delivered 1'],
      ...['waiting 0', 'waiting 0', 'waiting 0'],
    ]);
  });

  it('are sent by one process, each once', async () => {
    await add('one', 'hanging', 2);
    for (const tenantId of ['two', 'three', 'four']) await add(tenantId, 'other', 20);
    start();
    start();
    await hanging.until(2);
    while (receiver.received.length < 60) await receiver.next();
    hanging.recover();
    await stop();
    expect(receiver.received).toHaveLength(60);
    expect(await messages('two', 'other')).toEqual(Array.from({ length: 20 }, () => 'delivered 1'));
    expect(await messages('one', 'hanging')).toEqual(['delivered 1', 'delivered 1']);
  });

  it('that end while due ones are read are not sent again', async () => {
    await add('one', 'hanging', 2);
    let noted = (): void => undefined;
    const ended = new Promise<void>((resolve) => (noted = resolve));
    let reads = 0;
    const { alerts, leases } = node.store;
    const noteAttempt: typeof alerts.noteAttempt = async (attempt) => {
      await alerts.noteAttempt(attempt);
      noted();
    };
    const due: typeof alerts.due = async (...args) => {
      const found = await alerts.due(...args);
      reads += 1;
      if (reads !== 2) return found;
      hanging.recover();
      await ended;
      await nextTurn();
      return found;
    };
    const replaced: Partial<typeof alerts> = { due, noteAttempt };
    start({
      leases,
      alerts: new Proxy(alerts, {
        get: (target, name: keyof typeof alerts) => replaced[name] ?? target[name].bind(target),
      }),
    });
    await ended;
    const next = receiver.next();
    await add('two', 'other');
    await next;
    await stop();
    expect(await messages('one', 'hanging')).toEqual(['delivered 1', 'delivered 1']);
    expect(hanging.requests()).toBe(2);
  });

  it('wait for the next turn after a failure of the database', async () => {
    await add('one', 'hanging', 1);
    let fail: (() => void) | null = null;
    const { alerts, leases } = node.store;
    const due: typeof alerts.due = async (...args) => {
      if (fail === null) return alerts.due(...args);
      fail();
      fail = null;
      throw new Error('away');
    };
    start({
      leases,
      alerts: new Proxy(alerts, {
        get: (target, name: keyof typeof alerts) => (name === 'due' ? due : target[name].bind(target)),
      }),
    });
    await hanging.until(1);
    await new Promise<void>((resolve) => (fail = resolve));
    const next = receiver.next();
    await add('two', 'other');
    hanging.recover();
    expect((await next).path).toBe('/other');
    await stop();
    expect(await messages('one', 'hanging')).toEqual(['delivered 1']);
    expect(hanging.requests()).toBe(1);
  });
});
