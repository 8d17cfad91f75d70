import { createHash, randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import type { TestDatabase } from '@cer/sql-store/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { issueApiKey } from '../../src/account/api-key.js';
import type { Role } from '../../src/account/role.js';
import { DEFAULT_SETTINGS } from '../../src/account/tenant-settings.js';
import { createLoginLimits } from '../../src/auth/login-limits.js';
import { openStore, type OpenedStore, type Store, type User } from '../../src/store/index.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

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

  describe('authenticators', () => {
    const newSecret = () => ({ keyId: 'key-one', sealed: randomUUID() });

    it('are added once, with their codes, and end sessions', async () => {
      const { tenantId } = await newTenant();
      const user = await newUser(tenantId);
      const session = hashOf(`a${user.userId}`);
      const expiresAt = new Date(time + DAY_MS);
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

    it('accept each step and each recovery code once', async () => {
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

  describe('passkeys', () => {
    const challenge = (expiresAt = new Date(time + MINUTE_MS)) => ({ challengeHash: hashOf(randomUUID()), expiresAt });
    const newPasskey = () => ({
      ...{ credentialId: randomUUID(), name: 'phone', publicKey: 'key', counter: 0, transports: ['internal'] },
    });

    it('are found with their user, and used once per challenge', async () => {
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
      const { tenantId } = await newTenant();
      const [user, other] = [await newUser(tenantId), await newUser(tenantId)];
      const passkey = newPasskey();
      await store.passkeys.add(user, passkey, challenge());
      const session = hashOf(`p${user.userId}`);
      const expiresAt = new Date(time + DAY_MS);
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

    it('forget a challenge when it is over', async () => {
      const { tenantId } = await newTenant();
      const user = await newUser(tenantId);
      const over = challenge(new Date(time - 1));
      expect(await store.passkeys.add(user, newPasskey(), over)).toBe(true);
      await store.sweep();
      expect(await store.passkeys.add(user, newPasskey(), over)).toBe(true);
    });
  });

  describe('shared links', () => {
    const newShare = async (tenantId: string, target = '', expiresAt = new Date(time + DAY_MS)) => {
      const tokenHash = hashOf(randomUUID());
      const share = await store.shares.create({ tenantId, tokenHash, kind: 'set', target, expiresAt }, 'test');
      return { tokenHash, share };
    };

    it('are found by their hash, counted and revoked', async () => {
      const tenant = await newTenant();
      const { tenantId } = tenant;
      const { tokenHash, share } = await newShare(tenantId, 'model=a');
      expect(share).toEqual({
        ...{ shareId: share.shareId, tenantId, kind: 'set', target: 'model=a', createdBy: 'test', opens: 0 },
        ...{ createdAt: now().toISOString(), expiresAt: new Date(time + DAY_MS).toISOString() },
        ...{ revokedAt: null, lastOpenedAt: null },
      });
      const later = await newShare(tenantId);
      await Promise.all([1, 2, 3].map(() => store.shares.countOpen(share.shareId)));
      const opened = { ...share, opens: 3, lastOpenedAt: now().toISOString() };
      expect(await store.shares.findByHash(tokenHash)).toEqual({ share: opened, tenant });
      expect(await store.shares.list(tenantId, null, 50)).toEqual([later.share, opened]);
      expect(await store.shares.findByHash(hashOf('none'))).toBeNull();
      await expect(
        store.shares.create({ tenantId, tokenHash, kind: 'set', target: '', expiresAt: now() }, 'test'),
      ).rejects.toMatchObject({ code: 'STORE_ROW_REFUSED' });
      const { tenantId: other } = await newTenant();
      expect(await store.shares.revoke(other, share.shareId, 'test')).toBe(false);
      expect(await store.shares.revoke(tenantId, share.shareId, 'test')).toBe(true);
      expect(await store.shares.revoke(tenantId, share.shareId, 'test')).toBe(false);
      expect((await store.shares.findByHash(tokenHash))?.share.revokedAt).toBe(now().toISOString());
      expect((await store.acts(tenantId, 3)).map(({ act, subject }) => [act, subject])).toEqual([
        ['shared link revoked', 'model=a'],
        ['link shared', 'all'],
        ['link shared', 'model=a'],
      ]);
    });

    it('are swept three months after their end', async () => {
      const { tenantId } = await newTenant();
      const listed = await newShare(tenantId, '', new Date(time - 90 * DAY_MS + MINUTE_MS));
      const swept = await newShare(tenantId, '', new Date(time - 90 * DAY_MS - MINUTE_MS));
      await store.sweep();
      expect(await store.shares.findByHash(listed.tokenHash)).not.toBeNull();
      expect(await store.shares.findByHash(swept.tokenHash)).toBeNull();
    });
  });

  describe('API keys', () => {
    it('are found by hash with their tenant, and listed newest first', async () => {
      const tenant = await newTenant();
      const { tenantId } = tenant;
      const [first, second] = [issueApiKey(), issueApiKey()];
      const made = await store.apiKeys.create(
        { tenantId, name: 'one', scopes: ['certify', 'ingest'], ...first },
        'test',
      );
      await store.apiKeys.create({ tenantId, name: 'two', scopes: [], ...second }, 'test');
      expect(await store.apiKeys.findByHash(first.keyHash)).toEqual({ key: made, tenant });
      expect(made).toMatchObject({
        name: 'one',
        scopes: ['certify', 'ingest'],
        prefix: first.prefix,
        lastUsedAt: null,
      });
      expect((await store.apiKeys.list(tenantId, null, 50)).map(({ name }) => name)).toEqual(['two', 'one']);
      expect(await store.apiKeys.findByHash(hashOf('other'))).toBeNull();
      await expect(
        store.apiKeys.create({ tenantId, name: 'again', scopes: [], ...first }, 'test'),
      ).rejects.toMatchObject({
        code: 'STORE_ROW_REFUSED',
      });
    });

    it('are found by id, in their account alone', async () => {
      const [mine, other] = [await newTenant(), await newTenant()];
      const made = await store.apiKeys.create(
        { tenantId: mine.tenantId, name: 'k', scopes: ['render'], ...issueApiKey() },
        'test',
      );
      expect(await store.apiKeys.find(mine.tenantId, made.keyId)).toEqual(made);
      expect(await store.apiKeys.find(other.tenantId, made.keyId)).toBeNull();
      expect(await store.apiKeys.find(mine.tenantId, 'unknown')).toBeNull();
    });

    it('have one successor under concurrent rotation', async () => {
      const { tenantId } = await newTenant();
      const { keyId } = await store.apiKeys.create(
        { tenantId, name: 'k', scopes: ['render'], ...issueApiKey() },
        'test',
      );
      const made = await Promise.all(
        [1, 2, 3].map(() => store.apiKeys.rotate(tenantId, keyId, issueApiKey(), new Date(time + DAY_MS), 'test')),
      );
      expect(made.filter((key) => key !== null)).toEqual([expect.objectContaining({ name: 'k', scopes: ['render'] })]);
      expect(await store.apiKeys.list(tenantId, null, 50)).toHaveLength(2);
    });

    it('keep the latest use in any order of writes', async () => {
      const { tenantId } = await newTenant();
      const { keyId } = await store.apiKeys.create({ tenantId, name: 'k', scopes: [], ...issueApiKey() }, 'test');
      const [early, late] = [new Date(time + 1), new Date(time + 2)];
      await store.apiKeys.markUsed(new Map([[keyId, late]]));
      await store.apiKeys.markUsed(new Map([[keyId, early]]));
      await store.apiKeys.markUsed(new Map());
      expect((await store.apiKeys.list(tenantId, null, 50))[0]?.lastUsedAt).toBe(late.toISOString());
    });
  });

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

  it('shares the count of sign-in attempts between instances', async () => {
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
