import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { AlertState, NewAlertDelivery, Store, TenantWebhook } from '../../src/store/index.js';

/** Contract of alert states and deliveries. */
export function alertsContract(opened: () => Store): void {
  const message = (createdMs: number, endpoint = 'ops', tenantId: string | null = null): NewAlertDelivery => ({
    tenantId,
    deliveryId: `msg_${randomUUID()}`,
    endpoint,
    type: 'witness.silent',
    payload: '{"é":"☃"}',
    createdMs,
  });
  const state = (isFiring: boolean, changedMs: number, subject: string = randomUUID()): AlertState => ({
    type: 'witness.silent',
    subject,
    isFiring,
    changedMs,
  });

  describe('alerts', () => {
    it('stores a change with its messages once', async () => {
      const { alerts } = opened();
      const firing = state(true, 1_000);
      const messages = [message(1_000), message(1_000, 'other')];
      const both = await Promise.all([alerts.change(firing, messages), alerts.change(firing, [message(1_000)])]);
      expect(both.filter((isFirst) => isFirst)).toHaveLength(1);
      expect(await alerts.states()).toContainEqual(firing);
      const ended = { ...firing, isFiring: false, changedMs: 2_000 };
      expect(await alerts.change(ended, [])).toBe(true);
      expect(await alerts.states()).toContainEqual(ended);
    });

    it('returns due messages, and again on request', async () => {
      const { alerts } = opened();
      const sent = message(5_000);
      await alerts.change(state(true, 5_000), [sent]);
      const due = async (at: number) =>
        (await alerts.due('operator', at, 100)).find((one) => one.deliveryId === sent.deliveryId);
      expect(await due(4_999)).toBeUndefined();
      expect(await due(5_000)).toMatchObject({
        ...sent,
        state: 'waiting',
        attempts: 0,
        attemptedMs: null,
        result: null,
      });
      const attempt = { deliveryId: sent.deliveryId, attempts: 1, dueMs: 9_000, attemptedMs: 6_000, result: '500' };
      await alerts.noteAttempt({ ...attempt, state: 'waiting' });
      expect(await due(8_999)).toBeUndefined();
      expect(await due(9_000)).toMatchObject(attempt);
      await alerts.noteAttempt({ ...attempt, state: 'failed', attempts: 2 });
      expect(await due(99_000)).toBeUndefined();
      expect(await alerts.sendAgain('operator', sent.deliveryId, 50_000)).toBe(true);
      expect(await due(50_000)).toMatchObject({ state: 'waiting', attempts: 0, result: '500' });
      expect(await alerts.sendAgain('operator', `msg_${randomUUID()}`, 50_000)).toBe(false);
    });

    it('lists deliveries in order and forgets old ones', async () => {
      const { alerts } = opened();
      const [old, waiting, recent] = [message(10), message(10), message(90_000)];
      const lasting = state(true, 10);
      await alerts.change(lasting, [old, waiting, recent]);
      // Conditions that have no end.
      const single = ['quota.reached', 'dead_letters.reported', 'signing_key.revoked'].map((type) => ({
        ...state(true, 10),
        type,
      }));
      for (const one of single) await alerts.change(one, []);
      for (const { deliveryId } of [old, recent]) {
        await alerts.noteAttempt({
          ...{ deliveryId, state: 'delivered', attempts: 1, dueMs: 0, attemptedMs: 10, result: '200' },
        });
      }
      const ended = state(false, 11);
      await alerts.change({ ...ended, isFiring: true }, []);
      await alerts.change(ended, []);
      await alerts.forget(80_000);
      const all = await alerts.deliveries(0, 1_000);
      const ids = all.map(({ deliveryId }) => deliveryId);
      expect(ids).toEqual(expect.arrayContaining([waiting.deliveryId, recent.deliveryId]));
      expect(ids).not.toContain(old.deliveryId);
      const [first] = all;
      expect((await alerts.deliveries(first?.seq ?? 0, 1))[0]?.deliveryId).toBe(ids[1]);
      const left = (await alerts.states()).map(({ subject }) => subject);
      expect(left).toContain(lasting.subject);
      expect(left.filter((subject) => [ended, ...single].some((one) => one.subject === subject))).toEqual([]);
    });

    it('keeps deliveries of tenants apart, and serves tenants in turn', async () => {
      const { alerts } = opened();
      const [busy, quiet] = [`busy-${randomUUID()}`, `quiet-${randomUUID()}`];
      const many = Array.from({ length: 8 }, () => message(20, 'wh_busy', busy));
      const one = message(30, 'wh_quiet', quiet);
      await alerts.change(state(true, 20), [...many, one]);
      const due = await alerts.due('tenants', 30, 1_000);
      expect(due.filter(({ tenantId }) => tenantId === busy)).toHaveLength(5);
      expect(due.find(({ tenantId }) => tenantId === quiet)).toMatchObject(one);
      expect(due.findIndex(({ tenantId }) => tenantId === quiet)).toBeLessThan(due.length - 4);
      const ids = (found: readonly NewAlertDelivery[]) => found.map(({ deliveryId }) => deliveryId);
      expect(ids(await alerts.due('operator', 30, 1_000))).not.toContain(one.deliveryId);
      expect(ids(await alerts.deliveries(0, 1_000))).not.toContain(one.deliveryId);
      const owner = { tenantId: busy, webhookId: 'wh_busy' };
      const newest = await alerts.deliveriesOf(owner, Number.MAX_SAFE_INTEGER, 2);
      expect(ids(newest)).toEqual(ids(many.slice(-2).toReversed()));
      expect(ids(await alerts.deliveriesOf(owner, newest.at(-1)?.seq ?? 0, 100))).toHaveLength(6);
      for (const other of ['operator', { ...owner, tenantId: quiet }, { ...owner, webhookId: 'wh_other' }] as const) {
        expect(await alerts.sendAgain(other, many[0]?.deliveryId ?? '', 99)).toBe(false);
      }
      expect(await alerts.sendAgain(owner, many[0]?.deliveryId ?? '', 99)).toBe(true);
    });

    it('serves receivers of one owner in turn', async () => {
      const { alerts } = opened();
      const tenantId = randomUUID();
      for (const owner of [tenantId, null]) {
        const many = Array.from({ length: 8 }, () => message(20, `${tenantId}-busy`, owner));
        const one = message(30, `${tenantId}-quiet`, owner);
        await alerts.change(state(true, 20), [...many, one]);
        const due = await alerts.due(owner === null ? 'operator' : 'tenants', 30, 1_000);
        const ids = due.map(({ deliveryId }) => deliveryId);
        expect(ids).toContain(one.deliveryId);
        expect(ids.indexOf(one.deliveryId)).toBeLessThan(ids.indexOf(many[1]?.deliveryId ?? ''));
      }
    });

    it('refuses a message while too many wait', async () => {
      const { alerts } = opened();
      const tenantId = randomUUID();
      const added = () => alerts.addMessage(message(40, 'wh_full', tenantId), 2);
      expect([await added(), await added(), await added()]).toEqual([true, true, false]);
    });
  });

  describe('webhooks', () => {
    const webhook = (tenantId: string, createdMs = 1): TenantWebhook => ({
      ...{ webhookId: `wh_${randomUUID()}`, tenantId, url: 'https://hooks.example.com/é', types: ['quota.reached'] },
      ...{ secretId: 'secret-1', secretVersion: 1, previousUntilMs: 0, createdMs },
    });

    it('are those of one tenant, up to a limit', async () => {
      const { webhooks } = opened();
      const [mine, other] = [randomUUID(), randomUUID()];
      const [first, second] = [webhook(mine, 1), { ...webhook(mine, 2), types: null }];
      expect([await webhooks.add(first, 2), await webhooks.add(second, 2)]).toEqual([true, true]);
      expect(await webhooks.add(webhook(mine), 2)).toBe(false);
      expect(await webhooks.list(mine)).toEqual([first, second]);
      expect(await webhooks.list(other)).toEqual([]);
      expect(await webhooks.find(other, first.webhookId)).toBeNull();
      expect(await webhooks.find(mine, first.webhookId)).toEqual(first);
      expect(await webhooks.byIds([second.webhookId, 'wh_unknown'])).toEqual([second]);
      expect(await webhooks.all()).toEqual(expect.arrayContaining([first, second]));
      expect(await webhooks.isEmpty()).toBe(false);
      expect(await opened().referencedCommitmentSecretIds()).toContain('secret-1');
    });

    it('rotate once for each version and are removed with their messages', async () => {
      const { webhooks, alerts } = opened();
      const tenantId = randomUUID();
      const made = webhook(tenantId);
      const { webhookId } = made;
      await webhooks.add(made, 5);
      const rotated = { ...made, previousUntilMs: 5_000 };
      const other = { ...made, previousUntilMs: 6_000 };
      const both = await Promise.all([webhooks.rotate(rotated), webhooks.rotate(other)]);
      expect(both.toSorted()).toEqual(['rotated', 'superseded']);
      const winner = both[0] === 'rotated' ? rotated : other;
      expect(await webhooks.find(tenantId, webhookId)).toEqual({ ...winner, secretVersion: 2 });
      expect(await webhooks.rotate({ ...made, webhookId: 'wh_unknown' })).toBe('unknown');
      await alerts.addMessage(message(1, webhookId, tenantId), 5);
      await webhooks.remove(randomUUID(), webhookId);
      expect(await webhooks.find(tenantId, webhookId)).not.toBeNull();
      await webhooks.remove(tenantId, webhookId);
      await webhooks.remove(tenantId, webhookId);
      expect(await webhooks.find(tenantId, webhookId)).toBeNull();
      expect(await alerts.deliveriesOf({ tenantId, webhookId }, 1e15, 10)).toEqual([]);
    });
  });
}
