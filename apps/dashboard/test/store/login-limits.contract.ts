import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { createLoginLimits } from '../../src/auth/login-limits.js';
import { openStore } from '../../src/store/index.js';
import type { StoreUnderTest } from './store-under-test.js';

/** Contract of the limits of sign-in. */
export function loginLimitsContract(on: () => StoreUnderTest): void {
  it('shares the count of sign-in attempts between instances', async () => {
    const { database, opened } = on();
    const other = await openStore({ databaseUrl: database.url });
    const options = { attemptsPerAccount: 3, attemptsPerAddress: 100, windowS: 3600 };
    const [here, there] = [createLoginLimits(opened.database, options), createLoginLimits(other.database, options)];
    const email = `${randomUUID()}@example.org`;
    const attempt = { email, remoteAddress: '192.0.2.1', device: null };
    for (const limits of [here, there, here]) expect(await limits.attempt(attempt)).toBeNull();
    expect(await there.attempt(attempt)).toBeGreaterThan(3000);
    const known = { ...attempt, device: randomUUID() };
    for (const limits of [there, here, there]) expect(await limits.attempt(known)).toBeNull();
    expect(await here.attempt(known)).toBeGreaterThan(3000);
    for (const done of [attempt, known]) {
      await here.succeeded(done);
      expect(await there.attempt(done)).toBeNull();
    }
    await other.store.close();
  });

  it('returns the attempts of a successful sign-in', async () => {
    const { opened } = on();
    const limits = createLoginLimits(opened.database, { attemptsPerAccount: 2, attemptsPerAddress: 3, windowS: 3600 });
    const email = `${randomUUID()}@example.org`;
    for (let network = 1; network <= 12; network += 1) {
      const attempt = { email, remoteAddress: `203.0.113.${network}`, device: null };
      for (let at = 0; at < 4; at += 1) {
        expect(await limits.attempt(attempt)).toBeNull();
        await limits.succeeded(attempt);
      }
    }
  });

  it('slows strangers down over all networks', async () => {
    const { opened } = on();
    const limits = createLoginLimits(opened.database, { attemptsPerAccount: 2, attemptsPerAddress: 99, windowS: 3600 });
    const email = `${randomUUID()}@example.org`;
    const from = (network: number) => limits.attempt({ email, remoteAddress: `203.0.113.${network}`, device: null });
    for (let network = 1; network <= 5; network += 1) {
      expect([await from(network), await from(network)]).toEqual([null, null]);
    }
    for (let network = 6; network <= 9; network += 1) {
      expect(await from(network)).toBeNull();
      expect(await from(network)).toBeGreaterThan(3000);
    }
  });

  it('counts all of one IPv6 network as one', async () => {
    const { opened } = on();
    const limits = createLoginLimits(opened.database, {
      attemptsPerAccount: 100,
      attemptsPerAddress: 2,
      windowS: 3600,
    });
    const attemptFrom = (remoteAddress: string) => limits.attempt({ email: randomUUID(), remoteAddress, device: null });
    for (const address of ['2001:db8:1:2::1', '2001:DB8:1:2:ffff::9']) expect(await attemptFrom(address)).toBeNull();
    expect(await attemptFrom('2001:db8:1:2:3:4:5:6')).not.toBeNull();
    expect(await attemptFrom('2001:db8:1:3::1')).toBeNull();
  });
}
