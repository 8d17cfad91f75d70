import {
  absolutePath,
  flag,
  host,
  loadConfig,
  logLevel,
  minutes,
  port,
  positiveInteger,
  secret,
  serviceUrl,
  trustedProxies,
  type Environment,
} from '@cer/http-service/config';
import { browserOrigin } from '@cer/pages';
import { DATABASE_URL_RULE, isDatabaseUrl } from '@cer/sql-store';
import * as z from 'zod';

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
  OPERATOR_TOKEN_FILE: absolutePath()
    .optional()
    .describe(
      'File with the credential of log collectors for `GET /v1/operator/activity`. Unset: the route is closed.',
    ),
  JWKS_KEYS_FILE: absolutePath().describe('Handoff keys (ES256); made with mode 0600 at the first start.'),
  SECRETS_KEY_FILE: absolutePath()
    .optional()
    .describe(
      'Key of the secrets of authenticator apps, readable by its owner only; made at the first start. Unset: no apps.',
    ),
  LOG_LEVEL: logLevel().describe('Minimum level of the JSON log on standard output.'),
  TRUST_PROXY: trustedProxies().describe('Proxies whose `X-Forwarded-For` is trusted.'),
  PASSWORD_SIGN_IN: flag(true).describe('`0`: people sign in at the provider only. Requires `OIDC_ISSUER`.'),
  OIDC_ISSUER: z
    .string()
    .refine(isIssuer, { error: 'must be an https URL without query, or http on this machine' })
    .optional()
    .describe('Issuer of the OpenID Connect provider, exactly as it states it. Unset: no single sign-on.'),
  OIDC_CLIENT_ID: z.string().min(1).max(200).optional().describe('Client of the dashboard at the provider.'),
  OIDC_CLIENT_SECRET: secret(16).optional().describe('Secret of that client; better as `OIDC_CLIENT_SECRET_FILE`.'),
  OIDC_TENANT: z.string().min(1).max(100).optional().describe('Name of the tenant whose people sign in there.'),
  OIDC_ROLE_CLAIM: z.string().min(1).max(200).default('groups').describe('Claim of the id token that gives roles.'),
  OIDC_OWNER_VALUES: valueList().describe('Values of that claim that make an owner, separated by commas.'),
  OIDC_MEMBER_VALUES: valueList().describe('Values that make a member.'),
  OIDC_REVIEWER_VALUES: valueList().describe('Values that make a reviewer.'),
  OIDC_AUDITOR_VALUES: valueList().describe('Values that make an auditor.'),
  OIDC_SESSION_MINUTES: minutes(60).describe(
    'Maximum age of a session by the provider, in minutes; a person removed there is out after it.',
  ),
  SESSION_IDLE_MINUTES: minutes(60).describe('Minutes without a request after which a session ends.'),
  SESSION_MAX_MINUTES: minutes(DAY_MINUTES / 2).describe('Maximum age of a session, in minutes.'),
  LOGIN_ATTEMPTS_PER_ACCOUNT: positiveInteger(10).describe(
    'Maximum sign-in attempts at one account per network or known device, and window.',
  ),
  LOGIN_ATTEMPTS_PER_ADDRESS: positiveInteger(50).describe('Maximum sign-in attempts per network and window.'),
  LOGIN_WINDOW_MINUTES: minutes(15).describe('Length of that window, in minutes.'),
});

const REQUIRED_WITH_OIDC = ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_TENANT'] as const;

/** An identifier as a provider states it, kept as it is. */
function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, search, hash, username } = new URL(text);
  const isSafe =
    protocol === 'https:' || (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname));
  return isSafe && search === '' && hash === '' && username === '';
}

function valueList() {
  return z.string().max(4096).optional();
}

/** The texts between commas. */
function listOf(text: string | undefined): readonly string[] {
  return (text ?? '').split(',').flatMap((value) => (value.trim() === '' ? [] : [value.trim()]));
}

const Settings = VARIABLES.superRefine((set, context) => {
  if (set.OIDC_ISSUER === undefined) {
    if (!set.PASSWORD_SIGN_IN) {
      context.addIssue({ code: 'custom', path: ['OIDC_ISSUER'], message: 'is required with PASSWORD_SIGN_IN=0' });
    }
    return;
  }
  for (const name of REQUIRED_WITH_OIDC) {
    if (set[name] !== undefined) continue;
    context.addIssue({ code: 'custom', path: [name], message: 'is required with OIDC_ISSUER' });
  }
}).transform((set) => ({
  port: set.PORT,
  host: set.HOST,
  databaseUrl: set.DATABASE_URL,
  publicUrl: set.PUBLIC_URL,
  bridgeUrl: set.BRIDGE_URL,
  nodeUrl: set.NODE_URL,
  serviceTokenFile: set.SERVICE_TOKEN_FILE,
  operatorTokenFile: set.OPERATOR_TOKEN_FILE,
  jwksKeysFile: set.JWKS_KEYS_FILE,
  secretsKeyFile: set.SECRETS_KEY_FILE,
  logLevel: set.LOG_LEVEL,
  trustedProxies: set.TRUST_PROXY,
  passwordSignIn: set.PASSWORD_SIGN_IN,
  oidcSettings: oidcOf(set),
  sessionTimes: { idleMs: set.SESSION_IDLE_MINUTES * MINUTE_MS, absoluteMs: set.SESSION_MAX_MINUTES * MINUTE_MS },
  loginLimits: {
    attemptsPerAccount: set.LOGIN_ATTEMPTS_PER_ACCOUNT,
    attemptsPerAddress: set.LOGIN_ATTEMPTS_PER_ADDRESS,
    windowS: set.LOGIN_WINDOW_MINUTES * 60,
  },
}));

/** Null without OIDC_ISSUER. */
function oidcOf(set: z.output<typeof VARIABLES>) {
  const {
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: clientSecret,
    OIDC_TENANT: tenantName,
  } = set;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined || tenantName === undefined)
    return null;
  return {
    ...{ issuer, clientId, clientSecret, tenantName },
    roles: {
      claim: set.OIDC_ROLE_CLAIM,
      values: {
        owner: listOf(set.OIDC_OWNER_VALUES),
        member: listOf(set.OIDC_MEMBER_VALUES),
        reviewer: listOf(set.OIDC_REVIEWER_VALUES),
        auditor: listOf(set.OIDC_AUDITOR_VALUES),
      },
    },
    sessionMs: set.OIDC_SESSION_MINUTES * MINUTE_MS,
  };
}

export type Config = Readonly<z.output<typeof Settings>>;

/** @throws ConfigError naming every bad variable */
export function readConfig(env: Environment): Config {
  return loadConfig(Settings, env);
}

/** The configuration of commands on the account data. @throws ConfigError */
export function readDatabaseConfig(env: Environment): { readonly DATABASE_URL: string } {
  return loadConfig(z.object({ DATABASE_URL: databaseUrl() }), env);
}

/** The configuration of commands that print a link. @throws ConfigError */
export function readLinkConfig(env: Environment): { readonly PUBLIC_URL: string } {
  return loadConfig(z.object({ PUBLIC_URL: browserOrigin() }), env);
}

/** The configuration of commands on the handoff keys. @throws ConfigError */
export function readKeysConfig(env: Environment): { readonly JWKS_KEYS_FILE: string } {
  return loadConfig(z.object({ JWKS_KEYS_FILE: absolutePath() }), env);
}

/** The configuration of commands on the key of stored secrets. @throws ConfigError */
export function readSecretsConfig(env: Environment): { readonly SECRETS_KEY_FILE: string } {
  return loadConfig(z.object({ SECRETS_KEY_FILE: absolutePath() }), env);
}
