import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { DAY_MS, hashOf, type StoreUnderTest } from './store-under-test.js';

/** Contract of authenticators. */
export function authenticatorsContract(on: () => StoreUnderTest): void {
  describe('authenticators', () => {
    const newSecret = () => ({ keyId: 'key-one', sealed: randomUUID() });

    it('are added once, with their codes, and end sessions', async () => {
      const { store, now, newTenant, newUser } = on();
      const { tenantId } = await newTenant();
      const user = await newUser(tenantId);
      const session = hashOf(`a${user.userId}`);
      const expiresAt = new Date(now().getTime() + DAY_MS);
      await store.sessions.start({ tokenHash: session, user, expiresAt, replaces: null });
      const secret = newSecret();
      expect(await store.authenticators.add(user, secret, 100, ['one', 'two'])).toBe(true);
      expect(await store.authenticators.add(user, newSecret(), 200, ['three'])).toBe(false);
      expect(await store.authenticators.find(user.userId)).toEqual({
        ...secret,
        addedAt: now().toISOString(),
        recoveryCodesLeft: 2,
      });
      expect(await store.sessions.find(session, now())).toBeNull();
      expect(await store.authenticators.find('nobody')).toBeNull();
    });

    it('are not added once the user was signed out', async () => {
      const { store, newTenant, newUser } = on();
      const user = await newUser((await newTenant()).tenantId);
      await store.signInWays.reset(user, 'test');
      expect(await store.authenticators.add(user, newSecret(), 1, ['code'])).toBe(false);
      expect(await store.authenticators.find(user.userId)).toBeNull();
    });

    it('have the codes of one of two requests that replace them', async () => {
      const { store, newTenant, newUser } = on();
      const user = await newUser((await newTenant()).tenantId);
      await store.authenticators.add(user, newSecret(), 1, ['one', 'two']);
      await Promise.all([
        store.authenticators.replaceRecoveryCodes(user, ['three', 'four']),
        store.authenticators.replaceRecoveryCodes(user, ['five', 'six']),
      ]);
      expect(await store.authenticators.find(user.userId)).toMatchObject({ recoveryCodesLeft: 2 });
    });

    it('leave no code when they are removed as codes are made', async () => {
      const { store, newTenant, newUser } = on();
      const user = await newUser((await newTenant()).tenantId);
      await store.authenticators.add(user, newSecret(), 1, ['one']);
      await Promise.all([store.authenticators.replaceRecoveryCodes(user, ['two']), store.authenticators.remove(user)]);
      expect(await store.authenticators.useRecoveryCode(user, 'two')).toBe(false);
    });

    it('accept each step and each recovery code once', async () => {
      const { store, newTenant, newUser } = on();
      const { tenantId } = await newTenant();
      const user = await newUser(tenantId);
      await store.authenticators.add(user, newSecret(), 100, ['one', 'two']);
      const steps = await Promise.all([101, 101, 101].map((step) => store.authenticators.useStep(user.userId, step)));
      expect(steps.toSorted()).toEqual([false, false, true]);
      expect(await store.authenticators.useStep(user.userId, 100)).toBe(false);
      expect(await store.authenticators.useStep('nobody', 900)).toBe(false);
      const codes = await Promise.all([1, 2, 3].map(() => store.authenticators.useRecoveryCode(user, 'one')));
      expect(codes.toSorted()).toEqual([false, false, true]);
      expect(await store.authenticators.replaceRecoveryCodes(user, ['four'])).toBe(true);
      expect(await store.authenticators.useRecoveryCode(user, 'two')).toBe(false);
      expect(await store.authenticators.remove(user)).toBe(true);
      expect(await store.authenticators.remove(user)).toBe(false);
      expect(await store.authenticators.replaceRecoveryCodes(user, ['five'])).toBe(false);
      expect(await store.authenticators.useRecoveryCode(user, 'four')).toBe(false);
      expect((await store.acts(tenantId, 5)).map(({ act }) => act)).toEqual([
        'authenticator removed',
        'recovery codes made',
        'recovery code used',
        'authenticator added',
        'user added',
      ]);
    });

    it('are sealed again under another key', async () => {
      const { store, newTenant, newUser } = on();
      const { tenantId } = await newTenant();
      const users = await Promise.all([1, 2, 3].map(() => newUser(tenantId)));
      for (const user of users) await store.authenticators.add(user, newSecret(), 1, ['code']);
      const changed = await store.authenticators.resealAll('key-two', (userId) =>
        userId === users[0]?.userId ? null : { keyId: 'key-two', sealed: `again ${userId}` },
      );
      expect(changed).toBeGreaterThanOrEqual(2);
      expect((await store.authenticators.keyIds()).toSorted()).toEqual(['key-one', 'key-two']);
      const { userId = '' } = users[1] ?? {};
      expect(await store.authenticators.find(userId)).toMatchObject({ keyId: 'key-two', sealed: `again ${userId}` });
    });
  });
}
