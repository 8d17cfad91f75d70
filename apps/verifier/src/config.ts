import * as z from 'zod';
import {
  host,
  loadConfig,
  logLevel,
  milliseconds,
  port,
  positiveInteger,
  serviceUrl,
  trustedProxies,
  type Environment,
} from '@cer/http-service/config';

/**
 * The variables by name.
 * @public scripts/configuration.mjs makes docs/configuration.md of it
 */
export const VARIABLES = z.object({
  PORT: port(4200).describe('TCP port to listen on; 0 lets the system choose.'),
  HOST: host().describe('Address to listen on.'),
  NODE_URL: serviceUrl()
    .default('http://127.0.0.1:4100')
    .describe('Address of the node as this server reaches it. The server contacts no other host.'),
  PUBLIC_NODE_URL: serviceUrl()
    .optional()
    .describe("Address of the node as visitors' browsers reach it. Unset: `NODE_URL`."),
  PUBLIC_URL: serviceUrl()
    .default('http://127.0.0.1:4200')
    .describe('Address of this site in links, QR codes and previews.'),
  LOG_LEVEL: logLevel().describe('Minimum level of the JSON log on standard output.'),
  TRUST_PROXY: trustedProxies().describe('Proxies whose `X-Forwarded-For` is trusted.'),
  RATE_LIMIT_PER_MINUTE: positiveInteger(600).describe(
    'Maximum requests per minute and client address, not counting assets; then 429.',
  ),
  LOG_POLICY_FILE: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Policy (tlog-policy) under which `/log` and the pages of records check log and witnesses. Unset: they are not checked.',
    ),
  NODE_TIMEOUT_MS: milliseconds(10_000).describe('Maximum time for an answer of the node.'),
});

const Settings = VARIABLES.transform((env) => ({
  port: env.PORT,
  host: env.HOST,
  /** Address at which this server reaches the node. */
  nodeUrl: env.NODE_URL,
  /** Address at which a visitor's browser reaches it. */
  publicNodeUrl: env.PUBLIC_NODE_URL ?? env.NODE_URL,
  publicUrl: env.PUBLIC_URL,
  logLevel: env.LOG_LEVEL,
  trustedProxies: env.TRUST_PROXY,
  rateLimitPerMinute: env.RATE_LIMIT_PER_MINUTE,
  logPolicyFile: env.LOG_POLICY_FILE,
  nodeTimeoutMs: env.NODE_TIMEOUT_MS,
}));

export type VerifierConfig = Readonly<z.output<typeof Settings>>;

/** The verifier's configuration. @throws ConfigError naming every bad variable */
export function loadVerifierConfig(env: Environment): VerifierConfig {
  return loadConfig(Settings, env);
}
