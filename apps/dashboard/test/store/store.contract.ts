import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import type { TestDatabase } from '@cer/sql-store/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { issueApiKey } from '../../src/account/api-key.js';
import type { Role } from '../../src/account/role.js';
import { DEFAULT_SETTINGS } from '../../src/account/tenant-settings.js';
import { openStore, type OpenedStore, type Store, type User } from '../../src/store/index.js';
import { apiKeysContract } from './api-keys.contract.js';
import { authenticatorsContract } from './authenticators.contract.js';
import { loginLimitsContract } from './login-limits.contract.js';
import { passkeysContract } from './passkeys.contract.js';
import { sharesContract } from './shares.contract.js';
import { DAY_MS, hashOf, MINUTE_MS, type StoreUnderTest } from './store-under-test.js';

/** The contract of the store on both databases. */
export function storeContract(makeDatabase: () => Promise<TestDatabase>): void {
  let database: TestDatabase;
  let opened: OpenedStore;
  let store: Store;
  let time = Date.parse('2030-01-15T12:00:00.000Z');
  const now = (): Date => new Date(time);

  beforeAll(async () => {
    database = await makeDatabase();
    opened = await openStore({ databaseUrl: database.url, now });
    store = opened.store;
  });

  afterAll(async () => {
    await store.close();
    await database.remove();
  });

  const newTenant = () => store.tenants.create({ name: `tenant ${randomUUID()}` }, 'test');
  const newUser = async (tenantId: string, role: Role = 'member') => {
    const email = `${randomUUID()}@example.org`;
    const user = await store.users.add({ tenantId, email, name: 'N', role, passwordHash: 'h' }, 'test');
    if (user === null) throw new Error('the address is taken');
    return user;
  };

  const on = (): StoreUnderTest => ({ database, opened, store, now, newTenant, newUser });

  it('is migrated once by concurrent instances', async () => {
    const fresh = await makeDatabase();
    const instances = await Promise.all([0, 1, 2].map(() => openStore({ databaseUrl: fresh.url })));
    expect(instances.map((instance) => instance.store.schemaVersion)).toEqual([10, 10, 10]);
    for (const instance of instances) await instance.store.close();
    await fresh.remove();
  });

  it('refuses a database that a newer release migrated', async () => {
    const fresh = await makeDatabase();
    const first = await openStore({ databaseUrl: fresh.url });
    await first.database.knex('schema_versions').insert({ version: 99 });
    await first.store.close();
    await expect(openStore({ databaseUrl: fresh.url })).rejects.toMatchObject({ code: 'STORE_SCHEMA_TOO_NEW' });
    await fresh.remove();
  });

  describe('tenants', () => {
    it('are unique by name, with standard plan and settings', async () => {
      const name = `tenant ${randomUUID()}`;
      const made = await Promise.all([1, 2, 3, 4].map(() => store.tenants.create({ name }, 'test')));
      expect(new Set(made.map(({ tenantId }) => tenantId)).size).toBe(1);
      expect(made[0]).toMatchObject({
        name,
        status: 'active',
        settings: DEFAULT_SETTINGS,
        plan: { name: 'Standard', bridge: true },
      });
      expect(await store.tenants.findByName(name)).toEqual(made[0]);
      expect(await store.tenants.find(made[0]?.tenantId ?? '')).toEqual(made[0]);
      expect(await store.tenants.find('nobody')).toBeNull();
      expect(await store.acts(made[0]?.tenantId ?? '', 10)).toEqual([
        {
          ...{ seq: expect.any(Number), tenantId: made[0]?.tenantId, at: now().toISOString() },
          ...{ actor: 'test', act: 'tenant created', subject: name },
        },
      ]);
    });

    it('keep the id that nodes use', async () => {
      const tenantId = randomUUID();
      expect(await store.tenants.create({ name: `moved ${tenantId}`, tenantId }, 'test')).toMatchObject({ tenantId });
    });

    it('keep status, settings and plan', async () => {
      const { tenantId } = await newTenant();
      const limits = { requestsPerMinute: 5, executionsPerMonth: null };
      const plan = await store.tenants.putPlan({ name: `plan ${tenantId}`, limits, bridge: false });
      const settings = { ...DEFAULT_SETTINGS, retentionDays: 7, legalHold: true };
      await store.tenants.setSettings(tenantId, settings, 'test');
      expect(await store.tenants.setStatus(tenantId, 'suspended', 'test')).toBe(true);
      expect(await store.tenants.assignPlan(tenantId, plan.name, 'test')).toBe(true);
      expect(await store.tenants.assignPlan(tenantId, 'no such plan', 'test')).toBe(false);
      expect(await store.tenants.setStatus('nobody', 'active', 'test')).toBe(false);
      expect(await store.tenants.find(tenantId)).toMatchObject({ settings, plan, status: 'suspended' });
      const raised = await store.tenants.putPlan({ ...plan, limits: { ...limits, requestsPerMinute: 6 } });
      expect(raised.planId).toBe(plan.planId);
      expect((await store.tenants.find(tenantId))?.plan).toEqual(raised);
      expect(await store.tenants.listPlans()).toContainEqual(raised);
    });
  });

  describe('users', () => {
    it('have a unique address', async () => {
      const { tenantId } = await newTenant();
      const { email } = await newUser(tenantId);
      expect(
        await store.users.add({ tenantId, email, name: 'M', role: 'owner', passwordHash: null }, 'test'),
      ).toBeNull();
      expect((await store.users.findForLogin(email))?.passwordHash).toBe('h');
      expect(await store.users.list(tenantId, null, 50)).toHaveLength(1);
    });

    it('sign in by a provider, as one user however many sign-ins are first', async () => {
      const { tenantId } = await newTenant();
      const person = {
        ...{ issuer: 'https://idp.example', subject: randomUUID(), tenantId, name: 'Ada' },
        ...{ email: `${randomUUID()}@example.org`, role: 'member' as const },
      };
      const first = await Promise.all([0, 1, 2].map(() => store.users.signInByProvider(person)));
      expect(new Set(first.map((user) => user?.userId)).size).toBe(1);
      expect(first[0]).toMatchObject({ role: 'member', email: person.email });
      expect(await store.users.signInByProvider({ ...person, role: 'auditor' })).toMatchObject({ role: 'auditor' });
      const signedIn = first[0]?.userId ?? '';
      expect(await store.users.find(tenantId, signedIn)).toMatchObject({ sessionsEndedAt: null });
      expect(await store.users.signInByProvider({ ...person, role: null })).toBeNull();
      expect(await store.users.find(tenantId, signedIn)).toMatchObject({ sessionsEndedAt: now().toISOString() });
      const recycled = { ...person, subject: randomUUID() };
      expect(await store.users.signInByProvider(recycled)).toBeNull();
      const elsewhere = { ...person, issuer: 'https://other.example', tenantId: (await newTenant()).tenantId };
      expect(await store.users.signInByProvider(elsewhere)).toBeNull();
      const acts = await store.acts(tenantId, 10);
      expect(acts.map(({ act }) => act)).toEqual(['role changed', 'user added', 'tenant created']);
    });

    it('are found by their own tenant only', async () => {
      const [mine, other] = [await newTenant(), await newTenant()];
      const { userId } = await newUser(mine.tenantId);
      expect(await store.users.find(other.tenantId, userId)).toBeNull();
      expect(await store.users.setEnabled(other.tenantId, userId, false, 'test')).toBe('unknown');
      expect(await store.users.find(mine.tenantId, userId)).toMatchObject({ enabled: true });
    });

    it('lose sessions and links when they are disabled', async () => {
      const { tenantId } = await newTenant();
      const user = await newUser(tenantId);
      const { userId } = user;
      const [session, link] = [hashOf(`s${userId}`), hashOf(`l${userId}`)];
      await store.sessions.start({ tokenHash: session, user, expiresAt: new Date(time + DAY_MS), replaces: null });
      await store.links.issuePasswordLink(
        tenantId,
        userId,
        { tokenHash: link, expiresAt: new Date(time + DAY_MS) },
        'test',
      );
      expect(await store.sessions.find(session, now())).toMatchObject({ user: { userId }, tenant: { tenantId } });
      expect(await store.links.find(link)).toMatchObject({ purpose: 'password', user: { userId } });
      await store.users.setEnabled(tenantId, userId, false, 'test');
      expect(await store.sessions.find(session, now())).toBeNull();
      expect(await store.links.find(link)).toBeNull();
    });

    it.each<[string, (store: Store, user: User, session: string) => Promise<unknown>]>([
      ['sign out', ({ sessions }, _, session) => sessions.end(session)],
      ['are disabled', ({ users }, { tenantId, userId }) => users.setEnabled(tenantId, userId, false, 'test')],
      [
        'have a new password',
        async ({ links }, { tenantId, userId }) => {
          const link = { tokenHash: hashOf(`n${userId}`), expiresAt: new Date(time + DAY_MS) };
          await links.issuePasswordLink(tenantId, userId, link, 'test');
          await links.redeemForPassword(link.tokenHash, 'new');
        },
      ],
      [
        'add an authenticator',
        ({ authenticators }, user) => authenticators.add(user, { keyId: 'k', sealed: randomUUID() }, 1, ['code']),
      ],
      ['have their sign-in reset', ({ signInWays }, user) => signInWays.reset(user, 'test')],
      [
        'remove a passkey',
        async ({ passkeys }, user, session) => {
          const passkey = { credentialId: randomUUID(), name: 'p', publicKey: 'k', counter: 0, transports: [] };
          await passkeys.add(user, passkey, {
            challengeHash: hashOf(randomUUID()),
            expiresAt: new Date(time + DAY_MS),
          });
          await passkeys.remove(user, passkey.credentialId, session);
        },
      ],
    ])('have a time of the end of their sessions once they %s', async (_, end) => {
      const { tenantId } = await newTenant();
      const user = await newUser(tenantId);
      const session = hashOf(`e${user.userId}`);
      const expiresAt = new Date(time + DAY_MS);
      await store.sessions.start({ tokenHash: session, user, expiresAt, replaces: null });
      expect(await store.users.find(tenantId, user.userId)).toMatchObject({ sessionsEndedAt: null });
      time += MINUTE_MS;
      await end(store, user, session);
      expect(await store.users.find(tenantId, user.userId)).toMatchObject({ sessionsEndedAt: now().toISOString() });
    });
  });

  describe('shows acts to a reader that continues after the last one', () => {
    /** Subjects of the acts of an account after its creation. */
    const subjects = async (tenantId: string): Promise<readonly string[]> => {
      const acts = (await store.actsAfter(tenantId, 0, 100)).filter(({ act }) => act === 'signed in');
      return acts.map(({ subject }) => subject);
    };
    const noteAt = async (tenantId: string, subject: string, moveMs: number): Promise<void> => {
      time += moveMs;
      await store.note(tenantId, 'signed in', subject, 'test');
    };

    it('none before an earlier one whose time is later', async () => {
      const { tenantId } = await newTenant();
      await noteAt(tenantId, 'first', MINUTE_MS);
      await noteAt(tenantId, 'second', -5000);
      time += 12_000;
      expect(await subjects(tenantId)).toEqual([]);
      time += 4000;
      expect(await subjects(tenantId)).toEqual(['first', 'second']);
    });

    it('without waiting for the time of a wrong clock', async () => {
      const { tenantId } = await newTenant();
      await noteAt(tenantId, 'ahead', DAY_MS);
      await noteAt(tenantId, 'right', -DAY_MS);
      time += 12_000;
      expect(await subjects(tenantId)).toEqual(['ahead', 'right']);
    });
  });

  it('keep one enabled owner when owners disable each other at once', async () => {
    const { tenantId } = await newTenant();
    const [one, other] = [await newUser(tenantId, 'owner'), await newUser(tenantId, 'owner')];
    const disabled = await Promise.all([
      store.users.setEnabled(tenantId, one.userId, false, other.email),
      store.users.setEnabled(tenantId, other.userId, false, one.email),
    ]);
    expect(disabled.toSorted()).toEqual(['actor disabled', 'changed']);
    const enabled = (await store.users.list(tenantId, null, 50)).filter((user) => user.enabled);
    expect(enabled).toHaveLength(1);
  });

  it('lets one of many redeem a link', async () => {
    const { tenantId } = await newTenant();
    const { userId, email } = await newUser(tenantId);
    const link = { tokenHash: hashOf(randomUUID()), expiresAt: new Date(time + DAY_MS) };
    await store.links.issuePasswordLink(tenantId, userId, link, 'test');
    const redeemed = await Promise.all(
      [1, 2, 3, 4].map((n) => store.links.redeemForPassword(link.tokenHash, `hash ${n}`)),
    );
    expect(redeemed.filter((user) => user !== null)).toHaveLength(1);
    const winner = redeemed.findIndex((user) => user !== null) + 1;
    expect((await store.users.findForLogin(email))?.passwordHash).toBe(`hash ${winner}`);
    expect(await store.links.find(link.tokenHash)).toBeNull();
  });

  it('keeps the last of several links that are issued at once', async () => {
    const { tenantId } = await newTenant();
    const { userId } = await newUser(tenantId);
    const hashes = [1, 2, 3].map(() => hashOf(randomUUID()));
    const expiresAt = new Date(time + DAY_MS);
    await Promise.all(
      hashes.map((tokenHash) => store.links.issuePasswordLink(tenantId, userId, { tokenHash, expiresAt }, 'test')),
    );
    const found = await Promise.all(hashes.map((hash) => store.links.find(hash)));
    expect(found.filter((link) => link !== null)).toHaveLength(1);
  });

  it('leaves no link of a user who is disabled as it is issued', async () => {
    const { tenantId } = await newTenant();
    const { userId } = await newUser(tenantId);
    const link = { tokenHash: hashOf(randomUUID()), expiresAt: new Date(time + DAY_MS) };
    await Promise.all([
      store.links.issuePasswordLink(tenantId, userId, link, 'test'),
      store.users.setEnabled(tenantId, userId, false, 'test'),
    ]);
    expect(await store.links.find(link.tokenHash)).toBeNull();
  });

  it('lets one of many set up, and rolls back failures', async () => {
    const fresh = await makeDatabase();
    const { store: empty } = await openStore({ databaseUrl: fresh.url, now });
    const hashes = ['a', 'b'].map(hashOf);
    for (const tokenHash of hashes) await empty.links.issueSetUpLink({ tokenHash, expiresAt: new Date(time + DAY_MS) });
    const { tenantId } = await empty.tenants.create({ name: 'There' }, 'test');
    await empty.users.add(
      { tenantId, email: 'taken@example.org', name: 'T', role: 'member', passwordHash: null },
      'test',
    );
    const owner = { tenantName: 'First', email: 'first@example.org', name: 'F', passwordHash: 'h' };
    const taken = { ...owner, email: 'taken@example.org' };
    await expect(empty.links.redeemForSetUp(hashes[0] ?? '', taken)).rejects.toMatchObject({
      code: 'STORE_ROW_REFUSED',
    });
    expect(await empty.tenants.findByName('First')).toBeNull();
    const made = await Promise.all(hashes.map((tokenHash) => empty.links.redeemForSetUp(tokenHash, owner)));
    expect(made.filter((user) => user !== null)).toHaveLength(1);
    await empty.close();
    await fresh.remove();
  });

  authenticatorsContract(on);
  passkeysContract(on);
  sharesContract(on);
  apiKeysContract(on);

  it('sums usage of concurrent reporters', async () => {
    const tenants = [await newTenant(), await newTenant()];
    const items = tenants.flatMap(({ tenantId }) => [
      { tenantId, kind: 'certify', count: 1 } as const,
      { tenantId, kind: 'ingest', count: 2 } as const,
    ]);
    await Promise.all(
      Array.from({ length: 10 }, (_, n) => store.usage.record(randomUUID(), n % 2 === 0 ? items : items.toReversed())),
    );
    const day = now().toISOString().slice(0, 10);
    for (const { tenantId } of tenants) {
      expect(await store.usage.list(tenantId, day)).toEqual([
        { day, kind: 'certify', count: 10 },
        { day, kind: 'ingest', count: 20 },
      ]);
    }
    expect(await store.usage.list(tenants[0]?.tenantId ?? '', '2030-01-16')).toEqual([]);
  });

  loginLimitsContract(on);

  it('removes expired rows only', async () => {
    const { tenantId } = await newTenant();
    const user = await newUser(tenantId);
    const [over, live] = [hashOf(`over ${user.userId}`), hashOf(`live ${user.userId}`)];
    await store.sessions.start({ tokenHash: over, user, expiresAt: new Date(time + MINUTE_MS), replaces: null });
    await store.sessions.start({ tokenHash: live, user, expiresAt: new Date(time + DAY_MS), replaces: null });
    await store.usage.record(randomUUID(), [{ tenantId, kind: 'certify', count: 1 }]);
    time += 2 * MINUTE_MS;
    await store.sweep();
    const left = await opened.database
      .knex<{ token_hash: string; user_id: string }>('sessions')
      .where('user_id', user.userId)
      .select('token_hash');
    expect(left).toEqual([{ token_hash: live }]);
    expect(await store.usage.list(tenantId, '2000-01-01')).toHaveLength(1);
    time += 401 * DAY_MS;
    await store.sweep();
    expect(await store.usage.list(tenantId, '2000-01-01')).toEqual([]);
  });

  it('fails without quoting the row', async () => {
    const key = { tenantId: 'nobody', name: 'canary', scopes: [], ...issueApiKey() };
    const error: unknown = await store.apiKeys.create(key, 'canary').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'STORE_ROW_REFUSED' });
    expect(inspect(error, { showHidden: true })).not.toContain('canary');
  });
}
