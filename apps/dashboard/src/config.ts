import {
  absolutePath,
  host,
  loadConfig,
  logLevel,
  port,
  positiveInteger,
  serviceUrl,
  trustedProxies,
  type Environment,
} from '@cer/http-service/config';
import { browserOrigin } from '@cer/pages';
import { DATABASE_URL_RULE, isDatabaseUrl } from '@cer/sql-store';
import { z } from 'zod';

const DAY_MINUTES = 24 * 60;
const MINUTE_MS = 60_000;

/** Location of the store; commands on the account data need nothing else. */
const databaseUrl = () => z.string().refine(isDatabaseUrl, { error: DATABASE_URL_RULE });

/**
 * The variables by name.
 * @public scripts/configuration.mjs makes docs/configuration.md of it
 */
export const VARIABLES = z.object({
  PORT: port(4400).describe('TCP port to listen on; 0 lets the system choose.'),
  HOST: host().describe('Address to listen on.'),
  DATABASE_URL: databaseUrl().describe('Database. Several instances share one PostgreSQL.'),
  PUBLIC_URL: browserOrigin().describe('Origin that browsers open, and issuer of handoff tokens.'),
  BRIDGE_URL: serviceUrl().optional().describe('Address of the evidence bridge. Unset: the pages offer no Connect.'),
  NODE_URL: serviceUrl()
    .optional()
    .describe('Address of the attestation node, for the records, and for the examples on the pages.'),
  SERVICE_TOKEN_FILE: absolutePath().describe(
    'File with the service credential of node and bridge, readable by its owner only.',
  ),
  JWKS_KEYS_FILE: absolutePath().describe('Handoff keys (ES256); made with mode 0600 at the first start.'),
  LOG_LEVEL: logLevel().describe('Minimum level of the JSON log on standard output.'),
  TRUST_PROXY: trustedProxies().describe('Proxies whose `X-Forwarded-For` is trusted.'),
  SESSION_IDLE_MINUTES: positiveInteger(60).describe('Minutes without a request after which a session ends.'),
  SESSION_MAX_MINUTES: positiveInteger(DAY_MINUTES / 2).describe('Maximum age of a session, in minutes.'),
  LOGIN_ATTEMPTS_PER_ACCOUNT: positiveInteger(10).describe(
    'Maximum sign-in attempts at one account per network or known device, and window.',
  ),
  LOGIN_ATTEMPTS_PER_ADDRESS: positiveInteger(50).describe('Maximum sign-in attempts per network and window.'),
  LOGIN_WINDOW_MINUTES: positiveInteger(15).describe('Length of that window, in minutes.'),
});

const Settings = VARIABLES.transform((set) => ({
  port: set.PORT,
  host: set.HOST,
  databaseUrl: set.DATABASE_URL,
  publicUrl: set.PUBLIC_URL,
  bridgeUrl: set.BRIDGE_URL,
  nodeUrl: set.NODE_URL,
  serviceTokenFile: set.SERVICE_TOKEN_FILE,
  jwksKeysFile: set.JWKS_KEYS_FILE,
  logLevel: set.LOG_LEVEL,
  trustedProxies: set.TRUST_PROXY,
  sessionTimes: { idleMs: set.SESSION_IDLE_MINUTES * MINUTE_MS, absoluteMs: set.SESSION_MAX_MINUTES * MINUTE_MS },
  loginLimits: {
    attemptsPerAccount: set.LOGIN_ATTEMPTS_PER_ACCOUNT,
    attemptsPerAddress: set.LOGIN_ATTEMPTS_PER_ADDRESS,
    windowS: set.LOGIN_WINDOW_MINUTES * 60,
  },
}));

export type Config = Readonly<z.output<typeof Settings>>;

/** @throws ConfigError naming every bad variable */
export function readConfig(env: Environment): Config {
  return loadConfig(Settings, env);
}

/** What commands on the account data need. @throws ConfigError */
export function readDatabaseConfig(env: Environment): { readonly DATABASE_URL: string } {
  return loadConfig(z.object({ DATABASE_URL: databaseUrl() }), env);
}

/** What commands that print a link need. @throws ConfigError */
export function readLinkConfig(env: Environment): { readonly PUBLIC_URL: string } {
  return loadConfig(z.object({ PUBLIC_URL: browserOrigin() }), env);
}

/** What commands on the handoff keys need. @throws ConfigError */
export function readKeysConfig(env: Environment): { readonly JWKS_KEYS_FILE: string } {
  return loadConfig(z.object({ JWKS_KEYS_FILE: absolutePath() }), env);
}
