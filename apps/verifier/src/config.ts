import { z } from 'zod';
import {
  host,
  loadConfig,
  logLevel,
  port,
  positiveInteger,
  serviceUrl,
  trustedProxies,
  type Environment,
} from '@cer/http-service';

const VerifierEnvironment = z
  .object({
    PORT: port(4200),
    HOST: host(),
    NODE_URL: serviceUrl().default('http://127.0.0.1:4100'),
    PUBLIC_NODE_URL: serviceUrl().optional(),
    PUBLIC_URL: serviceUrl().default('http://127.0.0.1:4200'),
    LOG_LEVEL: logLevel(),
    TRUST_PROXY: trustedProxies(),
    RATE_LIMIT_PER_MINUTE: positiveInteger(600),
    NODE_TIMEOUT_MS: positiveInteger(10_000),
  })
  .transform((env) => ({
    port: env.PORT,
    host: env.HOST,
    /** Where this server reaches the node. */
    nodeUrl: env.NODE_URL,
    /** Where a visitor's browser reaches it. */
    publicNodeUrl: env.PUBLIC_NODE_URL ?? env.NODE_URL,
    publicUrl: env.PUBLIC_URL,
    logLevel: env.LOG_LEVEL,
    trustedProxies: env.TRUST_PROXY,
    rateLimitPerMinute: env.RATE_LIMIT_PER_MINUTE,
    nodeTimeoutMs: env.NODE_TIMEOUT_MS,
  }));

export type VerifierConfig = Readonly<z.output<typeof VerifierEnvironment>>;

/** The verifier's configuration. @throws ConfigError naming every bad variable */
export function loadVerifierConfig(env: Environment): VerifierConfig {
  return loadConfig(VerifierEnvironment, env);
}
