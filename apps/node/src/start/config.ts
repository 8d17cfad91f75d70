import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import type * as z from 'zod';
import { loadConfig, type Environment } from '@cer/http-service/config';
import type { TokenAddress } from '@cer/pkcs11';
import { tracesUrlOf } from '../tracing/open-tracing.js';
import { VARIABLES } from './config-variables.js';

const Settings = VARIABLES.refine((env) => env.RENDERER_URL === undefined || env.RENDERER_TOKEN_FILE !== undefined, {
  path: ['RENDERER_TOKEN_FILE'],
  error: 'is required with RENDERER_URL',
})
  .refine((env) => env.CONTROL_PLANE_URL === undefined || env.CONTROL_PLANE_TOKEN_FILE !== undefined, {
    path: ['CONTROL_PLANE_TOKEN_FILE'],
    error: 'is required with CONTROL_PLANE_URL',
  })
  .refine((env) => env.SIGNER === 'file' || env.PKCS11_MODULE !== undefined, {
    path: ['PKCS11_MODULE'],
    error: 'is required with SIGNER=pkcs11',
  })
  .refine((env) => env.SIGNER === 'file' || env.PKCS11_TOKEN_LABEL !== undefined, {
    path: ['PKCS11_TOKEN_LABEL'],
    error: 'is required with SIGNER=pkcs11',
  })
  .refine((env) => env.SIGNER === 'file' || env.PKCS11_PIN_FILE !== undefined, {
    path: ['PKCS11_PIN_FILE'],
    error: 'is required with SIGNER=pkcs11',
  })
  .refine((env) => env.TSA_URLS === undefined || env.TSA_ROOTS_FILE !== undefined, {
    path: ['TSA_ROOTS_FILE'],
    error: 'is required with TSA_URLS',
  })
  .refine((env) => env.HEADERS_TIMEOUT_MS <= env.REQUEST_TIMEOUT_MS, {
    path: ['HEADERS_TIMEOUT_MS'],
    error: 'must be at most REQUEST_TIMEOUT_MS',
  })
  .transform((env) => ({
    port: env.PORT,
    host: env.HOST,
    workers: env.NODE_WORKERS,
    databaseUrl: env.DATABASE_URL,
    writerThread: writesInThread(env) ? {} : undefined,
    nodeId: env.NODE_ID,
    keysFile: env.KEYS_FILE,
    restoreMarkFile: env.RESTORE_MARK_FILE ?? `${env.KEYS_FILE}.mark`,
    signer: env.SIGNER,
    pkcs11: tokenOf(env),
    keySetMaxAgeSeconds: env.KEY_SET_MAX_AGE_S,
    ...rootKeyOf(env),
    commitmentSecretFile: env.COMMITMENT_SECRET_FILE,
    verifyUrl: env.VERIFY_URL,
    adminSecret: env.ADMIN_SECRET,
    rendererUrl: env.RENDERER_URL,
    rendererTokenFile: env.RENDERER_TOKEN_FILE,
    controlPlaneUrl: env.CONTROL_PLANE_URL,
    controlPlaneTokenFile: env.CONTROL_PLANE_TOKEN_FILE,
    tsa: authoritiesOf(env),
    log: logOf(env),
    alertsFile: env.ALERTS_FILE ?? null,
    alertsAllowPrivate: env.ALERTS_ALLOW_PRIVATE,
    tenantWebhooks: env.TENANT_WEBHOOKS ? { allowsPrivate: env.TENANT_WEBHOOKS_ALLOW_PRIVATE } : null,
    logLevel: env.LOG_LEVEL,
    trustedProxies: env.TRUST_PROXY,
    bodyLimitBytes: env.BODY_LIMIT_BYTES,
    batchLimitBytes: env.BATCH_LIMIT_BYTES,
    verifyLimitBytes: env.VERIFY_LIMIT_BYTES,
    projectLimitBytes: env.PROJECT_LIMIT_BYTES,
    projectVerifyLimitBytes: env.PROJECT_VERIFY_LIMIT_BYTES,
    storeQueueLimit: env.STORE_QUEUE_LIMIT,
    retentionSweepEverySeconds: env.RETENTION_SWEEP_EVERY_S,
    rateLimits: {
      keyRequestsPerMinute: env.RATE_LIMIT_KEY_PER_MINUTE,
      addressRequestsPerMinute: env.RATE_LIMIT_IP_PER_MINUTE,
      exemptAddresses: env.LIMITS_EXEMPT_ADDRESSES,
    },
    verifyBudget: {
      concurrencyPerAddress: env.VERIFY_CONCURRENCY_PER_IP,
      cpuMsPerAddress: env.VERIFY_CPU_MS_PER_IP,
      bytesAtOnce: env.VERIFY_BYTES_AT_ONCE,
      exemptAddresses: env.LIMITS_EXEMPT_ADDRESSES,
    },
    tracesUrl: tracesUrlOf(env),
    headersTimeoutMs: env.HEADERS_TIMEOUT_MS,
    requestTimeoutMs: env.REQUEST_TIMEOUT_MS,
    drainTimeoutMs: env.DRAIN_TIMEOUT_MS,
    maxTotalFrames: env.MAX_TOTAL_FRAMES,
    allowOpenRender: env.ALLOW_OPEN_RENDER,
  }));

/** Of cores for each process: on fewer, the thread would take time from the event loop. */
const CORES_FOR_WRITER_THREAD = 4;

function writesInThread(env: {
  readonly SQLITE_WRITER_THREAD: 'auto' | 'on' | 'off';
  readonly NODE_WORKERS: number;
}): boolean {
  const { SQLITE_WRITER_THREAD: wanted, NODE_WORKERS: processes } = env;
  return wanted === 'auto' ? availableParallelism() >= CORES_FOR_WRITER_THREAD * processes : wanted === 'on';
}

interface TokenVariables {
  readonly SIGNER: 'file' | 'pkcs11';
  readonly PKCS11_MODULE?: string | undefined;
  readonly PKCS11_TOKEN_LABEL?: string | undefined;
  readonly PKCS11_PIN_FILE?: string | undefined;
}

function tokenOf(env: TokenVariables): TokenAddress | null {
  const { SIGNER, PKCS11_MODULE: modulePath, PKCS11_TOKEN_LABEL: label, PKCS11_PIN_FILE: pinFile } = env;
  if (SIGNER === 'file' || modulePath === undefined || label === undefined || pinFile === undefined) return null;
  return { modulePath, token: { label }, pinFile };
}

interface TsaVariables {
  readonly TSA_URLS?: readonly string[] | undefined;
  readonly TSA_ROOTS_FILE?: string | undefined;
  readonly TSA_TIMEOUT_MS: number;
  readonly TSA_MODE: 'each' | 'batch';
}

/** Null without pinned roots. Roots without URLs: tokens are verified, none is requested. */
function authoritiesOf({ TSA_URLS: urls = [], TSA_ROOTS_FILE: rootsFile, TSA_TIMEOUT_MS, TSA_MODE }: TsaVariables) {
  return rootsFile === undefined ? null : { urls, rootsFile, timeoutMs: TSA_TIMEOUT_MS, mode: TSA_MODE };
}

/** Null without LOG_ORIGIN. */
function logOf(env: {
  readonly LOG_ORIGIN?: string | undefined;
  readonly LOG_POLICY_FILE?: string | undefined;
  readonly LOG_EVERY_MS: number;
  readonly LOG_WITNESS_EVERY_S: number;
  readonly LOG_EPOCH_S: number;
}) {
  if (env.LOG_ORIGIN === undefined) return null;
  return {
    origin: env.LOG_ORIGIN,
    policyFile: env.LOG_POLICY_FILE ?? null,
    everyMs: env.LOG_EVERY_MS,
    witnessEverySeconds: env.LOG_WITNESS_EVERY_S,
    epochEverySeconds: env.LOG_EPOCH_S,
  };
}

/** In development a root key is created beside the node's keys; in production it is kept off the node. */
function rootKeyOf(env: {
  readonly ROOT_KEY_FILE?: string | undefined;
  readonly NODE_ENV?: string | undefined;
  readonly DATABASE_URL: string;
  readonly KEYS_FILE: string;
}): { readonly rootKeyFile: string | null; readonly makesRootKey: boolean } {
  if (env.ROOT_KEY_FILE !== undefined) return { rootKeyFile: env.ROOT_KEY_FILE, makesRootKey: false };
  const isDevelopment = env.DATABASE_URL.startsWith('sqlite:') && env.NODE_ENV !== 'production';
  return isDevelopment
    ? { rootKeyFile: join(dirname(env.KEYS_FILE), 'root-key.json'), makesRootKey: true }
    : { rootKeyFile: null, makesRootKey: false };
}

export type NodeConfig = Readonly<z.output<typeof Settings>>;

/** The node's configuration. @throws ConfigError naming every bad variable */
export function loadNodeConfig(env: Environment): NodeConfig {
  return loadConfig(Settings, env);
}
