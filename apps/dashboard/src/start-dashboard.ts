import { readTokenFile, type Environment } from '@cer/http-service/config';
import { createLogger, createMetrics, repeat, serve, type RunningServer } from '@cer/http-service/process';
import { createApp } from './app.js';
import { createLoginLimits } from './auth/login-limits.js';
import { readConfig, type Config } from './config.js';
import { LastUsed } from './introspection/last-used.js';
import { ensureKeysFile } from './jwks/keys-file.js';
import { openSigningKeys } from './jwks/signing-keys.js';
import { issueLink, SET_UP_MS } from './links/one-time-link.js';
import type { OidcSignIn } from './oidc/oidc-routes.js';
import { createOidcProvider } from './oidc/provider.js';
import { createPasswordHasher } from './passwords/password-hash.js';
import { openSecrets } from './secrets/open-secrets.js';
import { openStore, type Store } from './store/index.js';

const LAST_USED_INTERVAL_MS = 30_000;
const SWEEP_INTERVAL_MS = 60 * 60 * 1000;

/**
 * Starts the control plane. With no owner yet it says, once, how to make one.
 * @param say writes a line for the person who starts it
 * @throws ConfigError, SecretFileError, KeysFileError, StoreError, ListenError
 */
export async function startDashboard(env: Environment, say: (line: string) => void): Promise<RunningServer> {
  const config = readConfig(env);
  const logger = createLogger({ service: 'dashboard', level: config.logLevel });
  const now = (): Date => new Date();
  const serviceToken = readTokenFile('SERVICE_TOKEN_FILE', config.serviceTokenFile);
  const { operatorTokenFile } = config;
  const operatorToken =
    operatorTokenFile === undefined ? undefined : readTokenFile('OPERATOR_TOKEN_FILE', operatorTokenFile);
  ensureKeysFile(config.jwksKeysFile, now());
  const signingKeys = openSigningKeys(config.jwksKeysFile, now);
  const { store, database } = await openStore({ databaseUrl: config.databaseUrl });
  const lastUsed = new LastUsed(store.apiKeys, logger);
  const sweeping = repeat({
    everyMs: SWEEP_INTERVAL_MS,
    task: () => store.sweep(),
    onFailure: (error) => {
      logger.warn({ err: error }, 'sweep failed');
    },
  });
  const close = async (): Promise<void> => {
    await sweeping.stop();
    await lastUsed.stop();
    await store.close();
  };
  try {
    const secretBox = openSecrets(config.secretsKeyFile, await store.authenticators.keyIds());
    const app = createApp({
      ...config,
      store,
      signingKeys,
      lastUsed,
      serviceToken,
      secretBox,
      oidc: oidcSignIn(config),
      operatorToken,
      logger,
      now,
      hasher: createPasswordHasher(),
      loginLimits: createLoginLimits(database, config.loginLimits),
      metrics: createMetrics({ process: true }),
    });
    lastUsed.start(LAST_USED_INTERVAL_MS);
    if (config.passwordSignIn) await offerSetUp(store, config.publicUrl, now(), say);
    return await serve(app, { host: config.host, port: config.port, logger, onClose: close });
  } catch (error) {
    await close();
    throw error;
  }
}

function oidcSignIn({ oidcSettings, publicUrl }: Config): OidcSignIn | undefined {
  if (oidcSettings === null) return undefined;
  const { issuer, clientId, clientSecret, tenantName, roles, sessionMs } = oidcSettings;
  const redirectUri = `${publicUrl}/sign-in/oidc/callback`;
  const provider = createOidcProvider({ issuer, clientId, clientSecret: clientSecret.reveal(), redirectUri });
  return { provider, tenantName, roles, sessionMs };
}

async function offerSetUp(store: Store, publicUrl: string, now: Date, say: (line: string) => void): Promise<void> {
  if (await store.users.ownerExists()) return;
  const link = issueLink(publicUrl, SET_UP_MS, now);
  await store.links.issueSetUpLink(link);
  say(`This dashboard has no owner yet. Set it up within ${SET_UP_MS / 60_000} minutes: ${link.url}`);
}
