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
} from '@cer/http-service';
import { z } from 'zod';

const DAY_MINUTES = 24 * 60;
const MINUTE_MS = 60_000;

/** Where the store is; all that commands on the account data need. */
const databaseUrl = () =>
  z.string().refine((url) => /^sqlite:(?!:memory:)./s.test(url) || /^postgres(ql)?:\/\//.test(url), {
    error: 'must be sqlite:PATH or postgres://...',
  });

/**
 * The origin that people open. Their browsers keep the session cookie only where nobody listens in: https, or this
 * very machine.
 */
function publicUrl() {
  return serviceUrl().refine(isSecureOrigin, {
    error: 'must be an https origin without a path (http only for localhost)',
  });
}

function isSecureOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { origin, protocol, hostname } = new URL(text);
  const local = hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
  return origin === text && (protocol === 'https:' || local);
}

const Variables = z
  .object({
    PORT: port(4400),
    HOST: host(),
    DATABASE_URL: databaseUrl(),
    PUBLIC_URL: publicUrl(),
    BRIDGE_URL: serviceUrl().optional(),
    NODE_URL: serviceUrl().optional(),
    SERVICE_TOKEN_FILE: absolutePath(),
    JWKS_KEYS_FILE: absolutePath(),
    LOG_LEVEL: logLevel(),
    TRUST_PROXY: trustedProxies(),
    SESSION_IDLE_MINUTES: positiveInteger(60),
    SESSION_MAX_MINUTES: positiveInteger(DAY_MINUTES / 2),
    LOGIN_ATTEMPTS_PER_ACCOUNT: positiveInteger(10),
    LOGIN_ATTEMPTS_PER_ADDRESS: positiveInteger(50),
    LOGIN_WINDOW_MINUTES: positiveInteger(15),
  })
  .transform((set) => ({
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

export type Config = Readonly<z.output<typeof Variables>>;

/** @throws ConfigError naming every bad variable */
export function readConfig(env: Environment): Config {
  return loadConfig(Variables, env);
}

/** What commands on the account data need. @throws ConfigError */
export function readDatabaseConfig(env: Environment): { readonly DATABASE_URL: string } {
  return loadConfig(z.object({ DATABASE_URL: databaseUrl() }), env);
}

/** What commands that print a link need. @throws ConfigError */
export function readLinkConfig(env: Environment): { readonly PUBLIC_URL: string } {
  return loadConfig(z.object({ PUBLIC_URL: publicUrl() }), env);
}

/** What commands on the handoff keys need. @throws ConfigError */
export function readKeysConfig(env: Environment): { readonly JWKS_KEYS_FILE: string } {
  return loadConfig(z.object({ JWKS_KEYS_FILE: absolutePath() }), env);
}
