import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { AlertState, NewAlertDelivery, Store } from '../../src/store/index.js';

/** Contract of alert states and deliveries. */
export function alertsContract(opened: () => Store): void {
  const message = (createdMs: number, endpoint = 'ops'): NewAlertDelivery => ({
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

    it('hands over what is due, and again on request', async () => {
      const { alerts } = opened();
      const sent = message(5_000);
      await alerts.change(state(true, 5_000), [sent]);
      const due = async (at: number) => (await alerts.due(at, 100)).find((one) => one.deliveryId === sent.deliveryId);
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
      expect(await alerts.sendAgain(sent.deliveryId, 50_000)).toBe(true);
      expect(await due(50_000)).toMatchObject({ state: 'waiting', attempts: 0, result: '500' });
      expect(await alerts.sendAgain(`msg_${randomUUID()}`, 50_000)).toBe(false);
    });

    it('lists deliveries in order and forgets old ones', async () => {
      const { alerts } = opened();
      const [old, waiting, recent] = [message(10), message(10), message(90_000)];
      await alerts.change(state(true, 10), [old, waiting, recent]);
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
      expect((await alerts.states()).map(({ subject }) => subject)).not.toContain(ended.subject);
    });
  });
}
