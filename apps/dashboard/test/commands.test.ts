import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { issueApiKey, issuedKeyOf } from '../src/account/api-key.js';
import { runCommand } from '../src/commands/run-command.js';
import { openSecretBox } from '../src/secrets/secret-box.js';
import { ensureSecretsFile } from '../src/secrets/secrets-file.js';
import { tokenHash as linkTokenHash } from '../src/account/random-token.js';
import { openStore, type Store } from '../src/store/index.js';

describe('the command line', () => {
  let folder: string;
  let env: Record<string, string>;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'cer-commands-'));
    env = {
      DATABASE_URL: `sqlite:${join(folder, 'd.db')}`,
      PUBLIC_URL: 'https://dashboard.example',
      JWKS_KEYS_FILE: join(folder, 'jwks.json'),
    };
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  async function run(line: string, input = '') {
    const [printed, complained]: [string[], string[]] = [[], []];
    const code = await runCommand(line.split(' '), {
      env,
      print: (words) => printed.push(words),
      complain: (words) => complained.push(words),
      readInput: async () => input,
      now: () => new Date(),
    });
    return { code, out: printed.join('\n'), err: complained.join('\n') };
  }

  async function inStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
    const { store } = await openStore({ databaseUrl: env['DATABASE_URL'] ?? '' });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  }

  it.each(['--help', 'owner create -h', 'help'])('prints its commands: %s', async (line) => {
    const { code, out, err } = await run(line);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('  owner create --email ');
  });

  it('brings the schema up to date', async () => {
    expect(await run('migrate')).toEqual({ code: 0, out: 'schema 10', err: '' });
  });

  it('makes an owner by link or by password', async () => {
    const invited = await run('owner create --email Ada@example.org --tenant Acme');
    expect(invited.out).toMatch(/^https:\/\/dashboard\.example\/link\/[\w-]{43}$/);
    const made = await run('owner create --email bob@example.org --tenant Acme --password-stdin', 'a long password');
    expect(made.code).toBe(0);
    await inStore(async (store) => {
      expect((await store.users.findForLogin('ada@example.org'))?.user).toMatchObject({
        role: 'owner',
        hasPassword: false,
      });
      expect((await store.users.findForLogin('bob@example.org'))?.passwordHash).toMatch(/^scrypt\$ln=15/);
    });
    expect(await run('owner create --email bob@example.org')).toMatchObject({
      code: 1,
      err: '--email belongs to a user already',
    });
    expect(await run('owner create --email x@example.org --password-stdin', 'short')).toMatchObject({ code: 1 });
  });

  it('makes no tenant for an owner whose address is taken', async () => {
    await run('owner create --email ada@example.org --tenant Acme');
    const { code, err } = await run('owner create --email Ada@example.org --tenant Typo');
    expect([code, err]).toEqual([1, '--email belongs to a user already']);
    await inStore(async (store) => {
      expect(await store.tenants.findByName('Typo')).toBeNull();
    });
  });

  it('makes a key and prints it once', async () => {
    await run('tenant create --name Acme --id tenant-1');
    const { out } = await run('api-key create --tenant Acme --scopes certify,ingest');
    expect(out).toMatch(/^cer_live_[\w-]{43}$/);
    const found = await inStore((store) => store.apiKeys.findByHash(issuedKeyOf(out).keyHash));
    expect(found).toMatchObject({ key: { scopes: ['certify', 'ingest'] }, tenant: { tenantId: 'tenant-1' } });
  });

  it('imports an existing key idempotently without printing it', async () => {
    await run('tenant create --name Acme');
    await run('tenant create --name Other');
    const { key, prefix } = issueApiKey();
    for (let time = 0; time < 2; time += 1) {
      expect(await run('api-key create --tenant Acme --key-stdin', key)).toEqual({
        code: 0,
        out: `${prefix}…`,
        err: '',
      });
    }
    const refused = await run('api-key create --tenant Other --key-stdin', key);
    expect(refused).toMatchObject({ code: 1, err: '--key-stdin: the key belongs to another tenant' });
    expect(await run('api-key create --tenant Acme --key-stdin', 'canary')).toMatchObject({ code: 1 });
  });

  it('suspends and resumes accounts, and assigns plans', async () => {
    await run('tenant create --name Acme');
    expect((await run('account suspend --tenant Acme')).out).toBe('suspended');
    expect((await inStore((store) => store.tenants.findByName('Acme')))?.status).toBe('suspended');
    expect((await run('account resume --tenant Acme')).out).toBe('active');
    expect((await run('plan put --name Small --requests-per-minute 60 --no-bridge')).out).toBe(
      'Small, requests a minute: 60, executions a month: no limit, without the bridge',
    );
    expect((await run('plan assign --tenant Acme --plan Small')).code).toBe(0);
    expect((await inStore((store) => store.tenants.findByName('Acme')))?.plan.name).toBe('Small');
    expect((await run('plan list')).out.split('\n')).toHaveLength(2);
    const unknown = await run('plan assign --tenant Acme --plan None');
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('`plan list` prints all')]);
    expect((await run('account suspend --tenant Nobody')).code).toBe(1);
  });

  it('copies the database without sessions and one-time links', async () => {
    const invited = await run('owner create --email Ada@example.org --tenant Acme');
    const tokenHash = linkTokenHash(/[^/]+$/.exec(invited.out)?.[0] ?? '');
    const copy = join(folder, 'copy.db');
    await inStore(async (store) => {
      const user = (await store.users.findForLogin('ada@example.org'))?.user ?? { userId: '', sessionsEndedAt: null };
      const session = { tokenHash: 'digest', user, expiresAt: new Date(Date.now() + 60_000), replaces: null };
      await store.sessions.start(session);
      expect(await store.links.find(tokenHash)).toMatchObject({ purpose: 'password' });
      expect(await run(`backup --out ${copy}`)).toEqual({
        code: 0,
        out: `made ${copy}: 1 tenant, 1 user, 0 API keys. Sessions and one-time links are not in it`,
        err: '',
      });
    });
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    env['DATABASE_URL'] = `sqlite:${copy}`;
    await inStore(async (store) => {
      expect(await store.users.findForLogin('ada@example.org')).not.toBeNull();
      expect(await store.links.find(tokenHash)).toBeNull();
      expect(await store.sessions.find('digest', new Date(0))).toBeNull();
    });
    expect(await run(`backup --out ${copy}`)).toMatchObject({
      code: 1,
      err: expect.stringContaining('exists already'),
    });
    env['DATABASE_URL'] = 'postgres://user:canary@127.0.0.1/none';
    const refused = await run(`backup --out ${join(folder, 'other')}`);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('docs/backup.md') });
    expect(refused.err).not.toContain('canary');
  });

  it('makes the handoff keys once, and rotates them', async () => {
    const file = env['JWKS_KEYS_FILE'] ?? '';
    expect(await run('jwks rotate')).toMatchObject({ code: 1, out: '' });
    expect(await run('jwks init')).toEqual({ code: 0, out: `the handoff keys are in ${file}`, err: '' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const made = readFileSync(file, 'utf8');
    expect((await run('jwks init')).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(made);
    expect((await run('jwks rotate')).out).toMatch(/^[\w-]{43} signs from /);
  });

  it('rotates the key of stored secrets', async () => {
    const path = join(folder, 'secrets');
    env['SECRETS_KEY_FILE'] = path;
    ensureSecretsFile(path);
    const box = openSecretBox(path);
    await run('owner create --email ada@example.org --tenant Acme');
    const userId = await inStore(async (store) => {
      const user = (await store.users.findForLogin('ada@example.org'))?.user;
      if (user === undefined) return '';
      await store.authenticators.add(user, box.seal('authenticator', user.userId, 'a secret'), 1, ['code']);
      return user.userId;
    });
    for (let time = 0; time < 3; time += 1) {
      expect((await run('secrets-key rotate')).out).toMatch(
        /^[\w-]{12} is the current key; 1 secrets are sealed under it again$/,
      );
    }
    const stored = await inStore((store) => store.authenticators.find(userId));
    expect(stored?.keyId).toBe(box.keyIds()[0]);
    expect(stored !== null && box.open('authenticator', userId, stored)).toBe('a secret');
    rmSync(path);
    ensureSecretsFile(path);
    expect(await run('secrets-key rotate')).toMatchObject({
      code: 1,
      err: expect.stringContaining('restore it first'),
    });
    expect((await run('sign-in reset --email ada@example.org')).code).toBe(0);
    expect(await inStore((store) => store.authenticators.find(userId))).toBeNull();
    expect(await run('sign-in reset --email nobody@example.org')).toMatchObject({ code: 1 });
  });

  it.each(['nonsense', 'owner', 'plan put --nam canary', 'tenant create canary'])(
    'prints its usage without repeating the input: %s',
    async (line) => {
      const { code, out, err } = await run(line);
      expect({ code, out }).toEqual({ code: 3, out: '' });
      expect(err).toContain('Usage: node apps/dashboard/dist/main.js');
      expect(err).not.toContain('canary');
    },
  );

  it.each(['plan put --name a --requests-per-minute 0', 'api-key create --tenant a --scopes admin', 'tenant create'])(
    'refuses bad values: %s',
    async (line) => {
      await run('tenant create --name a');
      expect(await run(line)).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/^--/) });
    },
  );

  it.each([
    [`tenant create --name ${'canary'.repeat(20)}`, '--name must have at most 100 characters'],
    ['tenant create --name a --id can.ary', '--id must be 1 to 64 letters, digits, "-" or "_"'],
    ['owner create --email canary', '--email must be an address such as name@example.org'],
    ['owner create --email a@example.org --password-stdin', '--password-stdin must have at least 12 characters'],
  ])('states the rule of a bad option, never its value: %s', async (line, err) => {
    expect(await run(line, 'canary')).toEqual({ code: 1, out: '', err });
  });

  it('names a bad variable, never its value', async () => {
    env['DATABASE_URL'] = 'mysql://canary';
    expect(await run('migrate')).toEqual({
      code: 1,
      out: '',
      err: 'DATABASE_URL: must be sqlite:PATH or postgres://...',
    });
  });

  it('says that a command is unknown before it lists them', async () => {
    const { code, err } = await run('owner delete');
    expect([code, err.split('\n', 1)]).toEqual([3, ['unknown command']]);
  });
});
