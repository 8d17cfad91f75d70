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
import { z } from 'zod';

const MIB = 1024 * 1024;
const MINUTE_MS = 60_000;
/** How long nothing of a body may come. */
const STALL_MS = 10_000;

/**
 * An origin that browsers open. They keep the session cookie only where nobody listens in: https, or this very machine.
 */
function browserOrigin() {
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
    PORT: port(4300),
    HOST: host(),
    DATABASE_URL: z
      .string()
      .refine((url) => /^sqlite:(?!:memory:)./s.test(url) || /^postgres(ql)?:\/\//.test(url), {
        error: 'must be sqlite:PATH or postgres://...',
      })
      .default('sqlite:.data/bridge/bridge.sqlite'),
    PUBLIC_URL: browserOrigin(),
    NODE_URL: serviceUrl(),
    VERIFY_URL: serviceUrl().optional(),
    CONTROL_PLANE_URL: browserOrigin(),
    CONTROL_PLANE_TOKEN_FILE: z.string().min(1),
    LOG_LEVEL: logLevel(),
    TRUST_PROXY: trustedProxies(),
    BODY_LIMIT_BYTES: positiveInteger(128 * MIB),
    STREAM_LIMIT_BYTES: positiveInteger(1024 * MIB),
    OTLP_LIMIT_BYTES: positiveInteger(16 * MIB),
    OTLP_UNPACKED_LIMIT_BYTES: positiveInteger(64 * MIB),
    OTLP_SPAN_LIMIT: positiveInteger(10_000),
    BYTES_AT_ONCE: positiveInteger(256 * MIB),
    SESSION_IDLE_MINUTES: positiveInteger(60),
    SESSION_MAX_MINUTES: positiveInteger(12 * 60),
  })
  .transform((set) => ({
    port: set.PORT,
    host: set.HOST,
    databaseUrl: set.DATABASE_URL,
    publicUrl: set.PUBLIC_URL,
    nodeUrl: set.NODE_URL,
    verifyUrl: set.VERIFY_URL,
    controlPlaneUrl: set.CONTROL_PLANE_URL,
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

export type BridgeConfig = Readonly<z.output<typeof Variables>>;
export type BridgeLimits = BridgeConfig['limits'];

/** The bridge's configuration. @throws ConfigError naming every bad variable */
export function readConfig(env: Environment): BridgeConfig {
  return loadConfig(Variables, env);
}
