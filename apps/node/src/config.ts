import { z } from 'zod';
import {
  flag,
  host,
  loadConfig,
  logLevel,
  port,
  positiveInteger,
  secret,
  serviceUrl,
  trustedProxies,
  wholeNumber,
  type Environment,
} from '@cer/http-service';

const MIB = 1024 * 1024;

const DATABASE_URL = z
  .string()
  .refine((url) => /^sqlite:.+/s.test(url) || /^postgres(ql)?:\/\/.+/.test(url), {
    error: 'must be sqlite:PATH or postgres://...',
  })
  .default('sqlite:.data/node/node.sqlite');

const path = (byDefault: string) => z.string().min(1).default(byDefault);

const NodeEnvironment = z
  .object({
    PORT: port(4100),
    HOST: host(),
    DATABASE_URL,
    NODE_ID: z
      .string()
      .regex(/^[A-Za-z0-9._:-]{1,128}$/, { error: 'must have 1 to 128 letters, digits or . _ : -' })
      .optional(),
    KEYS_FILE: path('.data/node/keys.json'),
    COMMITMENT_SECRET_FILE: path('.data/node/commitment-secrets.json'),
    VERIFY_URL: serviceUrl().default('http://127.0.0.1:4200'),
    ADMIN_SECRET: secret(16).optional(),
    RENDERER_URL: serviceUrl().optional(),
    RENDERER_TOKEN_FILE: z.string().min(1).optional(),
    CONTROL_PLANE_URL: serviceUrl().optional(),
    CONTROL_PLANE_TOKEN_FILE: z.string().min(1).optional(),
    LOG_LEVEL: logLevel(),
    TRUST_PROXY: trustedProxies(),
    BODY_LIMIT_BYTES: positiveInteger(10 * MIB),
    BATCH_LIMIT_BYTES: positiveInteger(128 * MIB),
    VERIFY_LIMIT_BYTES: positiveInteger(MIB),
    PROJECT_LIMIT_BYTES: positiveInteger(128 * MIB),
    PROJECT_VERIFY_LIMIT_BYTES: positiveInteger(32 * MIB),
    STORE_QUEUE_LIMIT: positiveInteger(10_000),
    HEADERS_TIMEOUT_MS: positiveInteger(10_000),
    REQUEST_TIMEOUT_MS: positiveInteger(300_000),
    DRAIN_TIMEOUT_MS: positiveInteger(660_000),
    MAX_TOTAL_FRAMES: wholeNumber(2).default(1800),
    ALLOW_OPEN_RENDER: flag(false),
  })
  .refine((env) => env.RENDERER_URL === undefined || env.RENDERER_TOKEN_FILE !== undefined, {
    path: ['RENDERER_TOKEN_FILE'],
    error: 'is required with RENDERER_URL',
  })
  .refine((env) => env.CONTROL_PLANE_URL === undefined || env.CONTROL_PLANE_TOKEN_FILE !== undefined, {
    path: ['CONTROL_PLANE_TOKEN_FILE'],
    error: 'is required with CONTROL_PLANE_URL',
  })
  .transform((env) => ({
    port: env.PORT,
    host: env.HOST,
    databaseUrl: env.DATABASE_URL,
    nodeId: env.NODE_ID,
    keysFile: env.KEYS_FILE,
    commitmentSecretFile: env.COMMITMENT_SECRET_FILE,
    verifyUrl: env.VERIFY_URL,
    adminSecret: env.ADMIN_SECRET,
    rendererUrl: env.RENDERER_URL,
    rendererTokenFile: env.RENDERER_TOKEN_FILE,
    controlPlaneUrl: env.CONTROL_PLANE_URL,
    controlPlaneTokenFile: env.CONTROL_PLANE_TOKEN_FILE,
    logLevel: env.LOG_LEVEL,
    trustedProxies: env.TRUST_PROXY,
    bodyLimitBytes: env.BODY_LIMIT_BYTES,
    batchLimitBytes: env.BATCH_LIMIT_BYTES,
    verifyLimitBytes: env.VERIFY_LIMIT_BYTES,
    projectLimitBytes: env.PROJECT_LIMIT_BYTES,
    projectVerifyLimitBytes: env.PROJECT_VERIFY_LIMIT_BYTES,
    storeQueueLimit: env.STORE_QUEUE_LIMIT,
    headersTimeoutMs: env.HEADERS_TIMEOUT_MS,
    requestTimeoutMs: env.REQUEST_TIMEOUT_MS,
    drainTimeoutMs: env.DRAIN_TIMEOUT_MS,
    maxTotalFrames: env.MAX_TOTAL_FRAMES,
    allowOpenRender: env.ALLOW_OPEN_RENDER,
  }));

export type NodeConfig = Readonly<z.output<typeof NodeEnvironment>>;

/** The node's configuration. @throws ConfigError naming every bad variable */
export function loadNodeConfig(env: Environment): NodeConfig {
  return loadConfig(NodeEnvironment, env);
}
