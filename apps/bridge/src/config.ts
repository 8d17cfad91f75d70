import {
  host,
  loadConfig,
  logLevel,
  minutes,
  port,
  positiveInteger,
  serviceUrl,
  trustedProxies,
  type Environment,
} from '@cer/http-service/config';
import { browserOrigin } from '@cer/pages';
import { DATABASE_URL_RULE, isDatabaseUrl } from '@cer/sql-store';
import * as z from 'zod';

const MIB = 1024 * 1024;
const MINUTE_MS = 60_000;
/** Maximum pause while a body is received, in ms. */
const STALL_MS = 10_000;

/**
 * The variables by name.
 * @public scripts/configuration.mjs makes docs/configuration.md of it
 */
export const VARIABLES = z.object({
  PORT: port(4300).describe('TCP port to listen on; 0 lets the system choose.'),
  HOST: host().describe('Address to listen on.'),
  DATABASE_URL: z
    .string()
    .refine(isDatabaseUrl, { error: DATABASE_URL_RULE })
    .default('sqlite:.data/bridge/bridge.sqlite')
    .describe('Database. Several instances share one PostgreSQL.'),
  PUBLIC_URL: browserOrigin().describe('Origin that browsers open; handoff tokens are issued for its `host[:port]`.'),
  NODE_URL: serviceUrl().describe('Address of the attestation node.'),
  VERIFY_URL: serviceUrl()
    .optional()
    .describe('Address of the public verifier. Unset: the one that the node states in its answers.'),
  CONTROL_PLANE_URL: serviceUrl().describe(
    'Address of the dashboard as the bridge reaches it: source of accounts and API keys.',
  ),
  PUBLIC_CONTROL_PLANE_URL: browserOrigin()
    .optional()
    .describe(
      'Origin of the dashboard as browsers reach it: issuer of handoff tokens. Unset: `CONTROL_PLANE_URL`, which then is https, or http on this machine.',
    ),
  CONTROL_PLANE_TOKEN_FILE: z
    .string()
    .min(1)
    .describe('File with the service credential for the dashboard, readable by its owner only.'),
  LOG_LEVEL: logLevel().describe('Minimum level of the JSON log on standard output.'),
  TRUST_PROXY: trustedProxies().describe('Proxies whose `X-Forwarded-For` is trusted.'),
  BODY_LIMIT_BYTES: positiveInteger(128 * MIB).describe('Maximum body of a batch.'),
  STREAM_LIMIT_BYTES: positiveInteger(1024 * MIB).describe(
    'Maximum body of an NDJSON stream, which is never buffered whole.',
  ),
  OTLP_LIMIT_BYTES: positiveInteger(16 * MIB).describe('Maximum body of an OTLP export as it is sent.'),
  OTLP_UNPACKED_LIMIT_BYTES: positiveInteger(64 * MIB).describe('Maximum size of an OTLP export after decompression.'),
  OTLP_SPAN_LIMIT: positiveInteger(10_000).describe('Maximum spans per OTLP export.'),
  BYTES_AT_ONCE: positiveInteger(192 * MIB).describe(
    'Maximum bytes of bodies in memory, of all clients together; one account gets half of it.',
  ),
  SESSION_IDLE_MINUTES: minutes(60).describe('Minutes without a request after which a session ends.'),
  SESSION_MAX_MINUTES: minutes(12 * 60).describe('Maximum age of a session, in minutes.'),
});

const Settings = VARIABLES.refine(
  ({ CONTROL_PLANE_URL, PUBLIC_CONTROL_PLANE_URL }) =>
    PUBLIC_CONTROL_PLANE_URL !== undefined || browserOrigin().safeParse(CONTROL_PLANE_URL).success,
  {
    path: ['CONTROL_PLANE_URL'],
    error: 'must be an https origin (http only for localhost), or PUBLIC_CONTROL_PLANE_URL must be set to one',
  },
).transform((set) => ({
  port: set.PORT,
  host: set.HOST,
  databaseUrl: set.DATABASE_URL,
  publicUrl: set.PUBLIC_URL,
  nodeUrl: set.NODE_URL,
  verifyUrl: set.VERIFY_URL,
  controlPlaneUrl: set.CONTROL_PLANE_URL,
  dashboardUrl: set.PUBLIC_CONTROL_PLANE_URL ?? set.CONTROL_PLANE_URL,
  controlPlaneTokenFile: set.CONTROL_PLANE_TOKEN_FILE,
  logLevel: set.LOG_LEVEL,
  trustedProxies: set.TRUST_PROXY,
  limits: {
    bodyLimitBytes: set.BODY_LIMIT_BYTES,
    streamLimitBytes: set.STREAM_LIMIT_BYTES,
    otlpLimitBytes: set.OTLP_LIMIT_BYTES,
    otlpUnpackedLimitBytes: set.OTLP_UNPACKED_LIMIT_BYTES,
    otlpSpanLimit: set.OTLP_SPAN_LIMIT,
    bytesAtOnce: set.BYTES_AT_ONCE,
    stallMs: STALL_MS,
  },
  sessionTimes: { idleMs: set.SESSION_IDLE_MINUTES * MINUTE_MS, absoluteMs: set.SESSION_MAX_MINUTES * MINUTE_MS },
}));

export type BridgeConfig = Readonly<z.output<typeof Settings>>;
export type BridgeLimits = BridgeConfig['limits'];

/** The bridge's configuration. @throws ConfigError naming every bad variable */
export function readConfig(env: Environment): BridgeConfig {
  return loadConfig(Settings, env);
}
