import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { DAY_MS, hashOf, MINUTE_MS, type StoreUnderTest } from './store-under-test.js';

/** Contract of passkeys. */
export function passkeysContract(on: () => StoreUnderTest): void {
  describe('passkeys', () => {
    const challenge = (expiresAt = new Date(on().now().getTime() + MINUTE_MS)) => ({
      challengeHash: hashOf(randomUUID()),
      expiresAt,
    });
    const newPasskey = () => ({
      ...{ credentialId: randomUUID(), name: 'phone', publicKey: 'key', counter: 0, transports: ['internal'] },
    });

    it('are found with their user, and used once per challenge', async () => {
      const { store, now, newTenant, newUser } = on();
      const { tenantId } = await newTenant();
      const user = await newUser(tenantId);
      const passkey = newPasskey();
      const first = challenge();
      expect(await store.passkeys.add(user, passkey, first)).toBe(true);
      expect(await store.passkeys.add(user, newPasskey(), first)).toBe(false);
      expect(await store.passkeys.add(user, passkey, challenge())).toBe(false);
      const { credentialId } = passkey;
      const found = await store.passkeys.find(credentialId);
      expect(found).toMatchObject({ user: { userId: user.userId }, passkey: { ...passkey, lastUsedAt: null } });
      const once = challenge();
      const uses = await Promise.all([1, 2, 3].map(() => store.passkeys.use(credentialId, 0, once)));
      expect(uses.toSorted()).toEqual([false, false, true]);
      expect(await store.passkeys.use(credentialId, 7, challenge())).toBe(true);
      expect(await store.passkeys.use(credentialId, 7, challenge())).toBe(false);
      expect(await store.passkeys.use(credentialId, 0, challenge())).toBe(false);
      expect(await store.passkeys.use('unknown', 8, challenge())).toBe(false);
      expect(await store.passkeys.find('unknown')).toBeNull();
      expect(await store.passkeys.list(user.userId)).toEqual([
        { ...passkey, counter: 7, userId: user.userId, addedAt: now().toISOString(), lastUsedAt: now().toISOString() },
      ]);
    });

    it('are removed by their user, who is signed out elsewhere', async () => {
      const { store, now, newTenant, newUser } = on();
      const { tenantId } = await newTenant();
      const [user, other] = [await newUser(tenantId), await newUser(tenantId)];
      const passkey = newPasskey();
      await store.passkeys.add(user, passkey, challenge());
      const session = hashOf(`p${user.userId}`);
      const expiresAt = new Date(now().getTime() + DAY_MS);
      await store.sessions.start({ tokenHash: session, user, expiresAt, replaces: null });
      expect(await store.passkeys.remove(other, passkey.credentialId, '')).toBe(false);
      const kept = hashOf(`k${user.userId}`);
      await store.sessions.start({ tokenHash: kept, user, expiresAt, replaces: null });
      expect(await store.passkeys.remove(user, passkey.credentialId, kept)).toBe(true);
      expect(await store.passkeys.list(user.userId)).toEqual([]);
      expect(await store.sessions.find(session, now())).toBeNull();
      expect(await store.sessions.find(kept, now())).not.toBeNull();
    });

    it('are reset with the authenticator', async () => {
      const { store, newTenant, newUser } = on();
      const { tenantId } = await newTenant();
      const user = await newUser(tenantId);
      await store.passkeys.add(user, newPasskey(), challenge());
      await store.authenticators.add(user, { keyId: 'key-two', sealed: 's' }, 1, ['code']);
      expect(await store.signInWays.isLinked(user.userId)).toBe(false);
      await store.signInWays.reset(user, 'test');
      expect(await store.passkeys.list(user.userId)).toEqual([]);
      expect(await store.authenticators.find(user.userId)).toBeNull();
      expect(await store.acts(tenantId, 1)).toMatchObject([{ act: 'sign-in reset', actor: 'test' }]);
    });

    it('are not added once the user was signed out', async () => {
      const { store, newTenant, newUser } = on();
      const { tenantId } = await newTenant();
      const [user, other] = [await newUser(tenantId), await newUser(tenantId)];
      await store.signInWays.reset(user, 'test');
      expect(await store.passkeys.add(user, newPasskey(), challenge())).toBe(false);
      expect(await store.passkeys.list(user.userId)).toEqual([]);
      await Promise.all([
        store.passkeys.add(other, newPasskey(), challenge()),
        store.signInWays.reset(other, 'test'),
        store.passkeys.add(other, newPasskey(), challenge()),
      ]);
      expect(await store.passkeys.list(other.userId)).toEqual([]);
    });

    it('forget a challenge when it is over', async () => {
      const { store, now, newTenant, newUser } = on();
      const { tenantId } = await newTenant();
      const user = await newUser(tenantId);
      const over = challenge(new Date(now().getTime() - 1));
      expect(await store.passkeys.add(user, newPasskey(), over)).toBe(true);
      await store.sweep();
      expect(await store.passkeys.add(user, newPasskey(), over)).toBe(true);
    });
  });
}
