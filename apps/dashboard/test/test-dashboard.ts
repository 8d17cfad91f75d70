import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseTrustedProxies } from '@cer/http-service';
import { Secret } from '@cer/http-service/config';
import { createMetrics } from '@cer/http-service/process';
import { recordedLog } from '@cer/http-service/testing';
import { sqliteTestDatabase } from '@cer/sql-store/testing';
import type { Express } from 'express';
import { createApp, type AppDeps } from '../src/app.js';
import { createLoginLimits, type LoginLimitOptions } from '../src/auth/login-limits.js';
import { LastUsed } from '../src/introspection/last-used.js';
import { ensureKeysFile } from '../src/jwks/keys-file.js';
import { openSigningKeys } from '../src/jwks/signing-keys.js';
import { createPasswordHasher, type PasswordHasher } from '../src/passwords/password-hash.js';
import { openSecretBox } from '../src/secrets/secret-box.js';
import { ensureSecretsFile } from '../src/secrets/secrets-file.js';
import type { Role } from '../src/account/role.js';
import { openStore, type Store, type Tenant, type User } from '../src/store/index.js';

export const PUBLIC_URL = 'https://dashboard.example';
export const BRIDGE_URL = 'https://bridge.example:8443';
export const SERVICE_TOKEN = 'service-token-of-the-tests';
export const OPERATOR_TOKEN = 'operator-token-of-the-tests';
export const PASSWORD = 'correct horse battery';
export const OWNER_EMAIL = 'owner@example.org';

/** Cheap parameters, for fast tests. */
const TEST_COST = { logN: 4, r: 8, p: 1 };

export interface TestDashboard {
  readonly app: Express;
  readonly deps: AppDeps;
  readonly store: Store;
  readonly lastUsed: LastUsed;
  readonly logLines: readonly string[];
  readonly databaseUrl: string;
  readonly keysFile: string;
  readonly hasher: PasswordHasher;
  readonly tenant: Tenant;
  readonly owner: User;
  /** Moves the clock. */
  readonly pass: (ms: number) => void;
  readonly now: () => Date;
  readonly everythingInDatabase: () => Promise<string>;
  /** Adds a user of the tenant with PASSWORD. */
  readonly addUser: (email: string, role: Role, tenantId?: string) => Promise<User>;
  readonly close: () => Promise<void>;
}

export interface TestDashboardOptions {
  /** Another instance on the same database. */
  readonly databaseUrl?: string;
  readonly limits?: Partial<LoginLimitOptions>;
  readonly publicUrl?: string;
  readonly oidc?: AppDeps['oidc'];
  readonly passwordSignIn?: boolean;
  /** False: without a secrets file. */
  readonly hasSecrets?: boolean;
  readonly bridgeUrl?: string | undefined;
  /** Default: no node answers. */
  readonly nodeUrl?: string;
}

/** The whole app on a real database, with a clock that a test sets, one tenant and its owner. */
export async function startTestDashboard(options: TestDashboardOptions = {}): Promise<TestDashboard> {
  const database = options.databaseUrl === undefined ? await sqliteTestDatabase() : undefined;
  const databaseUrl = database?.url ?? options.databaseUrl ?? '';
  const folder = mkdtempSync(join(tmpdir(), 'cer-dashboard-keys-'));
  const keysFile = join(folder, 'jwks.json');
  let time = Date.now();
  const now = (): Date => new Date(time);
  const secretsFile = join(folder, 'secrets');
  ensureKeysFile(keysFile, now());
  ensureSecretsFile(secretsFile);
  const opened = await openStore({ databaseUrl, now });
  const { store } = opened;
  const { logger, lines: logLines } = recordedLog();
  const lastUsed = new LastUsed(store.apiKeys, logger);
  const hasher = createPasswordHasher(TEST_COST);
  const limits = { attemptsPerAccount: 5, attemptsPerAddress: 1_000, windowS: 900, ...options.limits };
  const deps: AppDeps = {
    store,
    hasher,
    lastUsed,
    logger,
    now,
    loginLimits: createLoginLimits(opened.database, limits),
    signingKeys: openSigningKeys(keysFile, now),
    serviceToken: new Secret(SERVICE_TOKEN),
    sessionTimes: { idleMs: 60 * 60_000, absoluteMs: 12 * 60 * 60_000 },
    publicUrl: options.publicUrl ?? PUBLIC_URL,
    bridgeUrl: 'bridgeUrl' in options ? options.bridgeUrl : BRIDGE_URL,
    // No request reaches it.
    nodeUrl: options.nodeUrl ?? 'http://127.0.0.1:9',
    // Tests state the address of a client.
    trustedProxies: parseTrustedProxies('127.0.0.1'),
    metrics: createMetrics(),
    secretBox: options.hasSecrets === false ? undefined : openSecretBox(secretsFile),
    oidc: options.oidc,
    passwordSignIn: options.passwordSignIn ?? true,
    operatorToken: new Secret(OPERATOR_TOKEN),
  };
  const app = createApp(deps);
  const tenant = await store.tenants.create({ name: 'Acme' }, 'test');
  const addUser = async (email: string, role: Role, tenantId = tenant.tenantId): Promise<User> => {
    const passwordHash = await hasher.hash(PASSWORD);
    const user = await store.users.add(
      { tenantId, email, name: email.split('@')[0] ?? '', role, passwordHash },
      'test',
    );
    const known = user ?? (await store.users.findForLogin(email))?.user;
    if (known === undefined) throw new Error('no such user');
    return known;
  };
  const owner = await addUser(OWNER_EMAIL, 'owner');
  return {
    app,
    deps,
    store,
    lastUsed,
    logLines,
    databaseUrl,
    keysFile,
    hasher,
    tenant,
    owner,
    addUser,
    now,
    pass: (ms) => {
      time += ms;
    },
    everythingInDatabase: async () => (await database?.everything()) ?? '',
    close: async () => {
      await store.close();
      rmSync(folder, { recursive: true });
      await database?.remove();
    },
  };
}
