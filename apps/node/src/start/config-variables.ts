import * as z from 'zod';
import {
  flag,
  host,
  logLevel,
  milliseconds,
  port,
  positiveInteger,
  secondsOrNone,
  secret,
  serviceUrl,
  trustedProxies,
  wholeNumber,
} from '@cer/http-service/config';
import { DRAIN_TIMEOUT_MS } from '@cer/http-service/process';
import { VERIFY_BUDGET } from '../limits/verify-budget.js';

const MIB = 1024 * 1024;

/** The counters are 32-bit numbers. */
const MAX_RATE = 100_000_000;

const DATABASE_URL = z
  .string()
  .refine((url) => /^sqlite:.+/s.test(url) || /^postgres(ql)?:\/\/.+/.test(url), {
    error: 'must be sqlite:PATH or postgres://...',
  })
  .default('sqlite:.data/node/node.sqlite');

/** One or two addresses with a comma between them. */
function authorityUrls() {
  const urls = z.array(serviceUrl()).max(2);
  return z.string().transform((text, context) => {
    const { success, data } = urls.safeParse(text.split(',').map((url) => url.trim()));
    if (success) return data;
    context.addIssue({
      code: 'custom',
      message: 'must be at most 2 http or https URLs without credentials, query or fragment, separated by a comma',
    });
    return z.NEVER;
  });
}

const path = (byDefault: string) => z.string().min(1).default(byDefault);

/**
 * The variables by name.
 * @public scripts/configuration.mjs makes docs/configuration.md of it
 */
export const VARIABLES = z.object({
  PORT: port(4100).describe('TCP port to listen on; 0 lets the system choose.'),
  HOST: host().describe('Address to listen on.'),
  NODE_WORKERS: wholeNumber(1, 64)
    .default(1)
    .describe(
      'Processes that serve the port, for machines with several cores ([operations](operations.md)). Each opens its own connections to the database, and has its part of the limits in bytes and of `STORE_QUEUE_LIMIT`.',
    ),
  DATABASE_URL: DATABASE_URL.describe('Database. SQLite is for one node; several nodes share one PostgreSQL.'),
  SQLITE_WRITER_THREAD: z
    .enum(['auto', 'on', 'off'])
    .default('auto')
    .describe(
      'Whether SQLite writes in a separate thread, so that commits and checkpoints stop no request. `auto`: where each process of the node has four cores or more. Takes up to 64 MiB more memory. No effect on PostgreSQL.',
    ),
  NODE_ID: z
    .string()
    .regex(/^[A-Za-z0-9._:-]{1,128}$/, { error: 'must have 1 to 128 letters, digits or . _ : -' })
    .optional()
    .describe(
      'Name of the node in every receipt. Unset: made with the key file; if set, it must equal the name in `KEYS_FILE`.',
    ),
  KEYS_FILE: path('.data/node/keys.json').describe(
    'Wrapping key that seals the signing keys in the database, and the first signing key. Mode 0600, writable by the node.',
  ),
  RESTORE_MARK_FILE: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Mark by which the node notices that its database was restored from an older backup. Its folder must be writable and outlive the process. Unset: `KEYS_FILE` with `.mark`.',
    ),
  SIGNER: z
    .enum(['file', 'pkcs11'])
    .default('file')
    .describe(
      'Where new signing keys are made: in the database, or on a hardware token ([hardware keys](hardware-keys.md)).',
    ),
  PKCS11_MODULE: z
    .string()
    .min(1)
    .optional()
    .describe("The token vendor's PKCS#11 library. Required with `SIGNER=pkcs11`."),
  PKCS11_TOKEN_LABEL: z
    .string()
    .min(1)
    .max(32)
    .optional()
    .describe('Label of the token. Required with `SIGNER=pkcs11`.'),
  PKCS11_PIN_FILE: z
    .string()
    .min(1)
    .optional()
    .describe('File with the user PIN of the token, not readable by other users. Required with `SIGNER=pkcs11`.'),
  KEY_SET_MAX_AGE_S: secondsOrNone(60).describe(
    'Seconds for which verifiers may cache the key set. A new key is published that long before it signs.',
  ),
  ROOT_KEY_FILE: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Root key with which the node signs its key history. Unset: an offline root key signs it ([root keys](root-keys.md)); on SQLite without `NODE_ENV=production` the node makes `root-key.json` beside `KEYS_FILE`.',
    ),
  NODE_ENV: z.string().optional().describe('`production` keeps the node from making a root key.'),
  COMMITMENT_SECRET_FILE: path('.data/node/commitment-secrets.json').describe(
    'Secrets from which the salts of confidential executions are derived. Mode 0600.',
  ),
  VERIFY_URL: serviceUrl()
    .default('http://127.0.0.1:4200')
    .describe('Address of the public verifier, for `verificationUrl`.'),
  ADMIN_SECRET: secret(16)
    .optional()
    .describe('Secret of the admin routes, sent as `X-Admin-Secret`. Unset: admin routes answer 503.'),
  RENDERER_URL: serviceUrl().optional().describe('Address of the renderer. Unset: render routes answer 503.'),
  RENDERER_TOKEN_FILE: z
    .string()
    .min(1)
    .optional()
    .describe('File with the `RENDERER_TOKEN` of the renderer. Required with `RENDERER_URL`.'),
  CONTROL_PLANE_URL: serviceUrl()
    .optional()
    .describe("Address of the dashboard that resolves API keys. Unset: the node's own table of API keys."),
  CONTROL_PLANE_TOKEN_FILE: z
    .string()
    .min(1)
    .optional()
    .describe('File with the service credential for the dashboard. Required with `CONTROL_PLANE_URL`.'),
  TSA_URLS: authorityUrls()
    .optional()
    .describe(
      'One or two time-stamping authorities (RFC 3161), separated by a comma; each receipt is timestamped after it is issued.',
    ),
  TSA_ROOTS_FILE: z
    .string()
    .min(1)
    .optional()
    .describe(
      'PEM file with the root certificates of trusted authorities. Required with `TSA_URLS`; without `TSA_URLS` it is used for verification only.',
    ),
  TSA_TIMEOUT_MS: milliseconds(10_000).describe(
    'Maximum time for an answer of an authority; a failed request is repeated after 1 s to 5 min.',
  ),
  TSA_MODE: z
    .enum(['each', 'batch'])
    .default('each')
    .describe(
      '`each`: one timestamp per receipt. `batch`: one timestamp for all receipts of ten seconds, each with its inclusion path.',
    ),
  LOG_ORIGIN: z
    .string()
    .regex(/^[A-Za-z0-9._:-]+(\/[A-Za-z0-9._~-]+)*$/, {
      error: 'must be the address of the log without scheme, for example node.example/log',
    })
    .max(200)
    .optional()
    .describe(
      'Name of the transparency log: the address of `/log` without scheme, for example `node.example/log`. Unset: no log.',
    ),
  LOG_POLICY_FILE: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Policy (C2SP tlog-policy) with the witnesses that must cosign a checkpoint before it is published. Unset: none.',
    ),
  LOG_EVERY_MS: milliseconds(1000).describe('Pause between two turns that give new receipts their place in the log.'),
  LOG_WITNESS_EVERY_S: positiveInteger(10).describe(
    'Shortest time in seconds between two requests to witnesses; public ones grant a number of requests per day.',
  ),
  LOG_EPOCH_S: wholeNumber(1, 3600)
    .default(3600)
    .describe('Seconds between two epochs, which commit to the tree of every tenant; 60 at most after a deletion.'),
  ALERTS_FILE: z
    .string()
    .min(1)
    .optional()
    .describe(
      'JSON file with the endpoints of alerts and their secrets, mode 0600, read again at each turn ([alerts](operations.md)). Unset: no webhooks.',
    ),
  ALERTS_ALLOW_PRIVATE: flag(false).describe(
    '`1` allows endpoints of alerts with private addresses and with plain http. Link-local addresses stay refused.',
  ),
  TENANT_WEBHOOKS: flag(true).describe(
    '`0`: tenants have no webhooks. Alerts to operators (`ALERTS_FILE`) do not depend on it.',
  ),
  TENANT_WEBHOOKS_ALLOW_PRIVATE: flag(false).describe(
    '`1` allows webhooks of tenants at private addresses and by plain http: every tenant can then reach your network. Link-local addresses stay refused.',
  ),
  LOG_LEVEL: logLevel().describe('Minimum level of the JSON log on standard output.'),
  TRUST_PROXY: trustedProxies().describe('Proxies whose `X-Forwarded-For` is trusted.'),
  BODY_LIMIT_BYTES: positiveInteger(10 * MIB).describe(
    'Maximum body of certify, create and attest, and of one line of a batch.',
  ),
  BATCH_LIMIT_BYTES: positiveInteger(128 * MIB).describe('Maximum body of a batch.'),
  VERIFY_LIMIT_BYTES: positiveInteger(12 * MIB).describe(
    'Maximum body of `POST /v1/cer/verify`, which needs no API key. Certificates that it would not take are not made: keep it above `BODY_LIMIT_BYTES`.',
  ),
  PROJECT_LIMIT_BYTES: positiveInteger(128 * MIB).describe('Maximum body of a project registration.'),
  PROJECT_VERIFY_LIMIT_BYTES: positiveInteger(32 * MIB).describe(
    'Maximum body of `POST /v1/project-bundle/verify`, which needs no API key.',
  ),
  STORE_QUEUE_LIMIT: positiveInteger(10_000).describe(
    'Maximum certificates waiting for their commit; further ones get 503 with `Retry-After`.',
  ),
  RETENTION_SWEEP_EVERY_S: secondsOrNone(600).describe(
    'Seconds between two deletions of expired records. 0: this node never deletes expired records.',
  ),
  RATE_LIMIT_KEY_PER_MINUTE: wholeNumber(1, MAX_RATE)
    .optional()
    .describe("Maximum requests per minute of one API key, in addition to the limits of its account's plan."),
  RATE_LIMIT_IP_PER_MINUTE: wholeNumber(1, MAX_RATE)
    .optional()
    .describe('Maximum requests per minute of one client address (IPv6: /64) without a valid API key.'),
  VERIFY_CONCURRENCY_PER_IP: positiveInteger(VERIFY_BUDGET.concurrencyPerAddress).describe(
    'Maximum concurrent verifications of one client address without an API key.',
  ),
  VERIFY_CPU_MS_PER_IP: positiveInteger(VERIFY_BUDGET.cpuMsPerAddress).describe(
    'Maximum CPU time per minute, in ms, for verifications of one client address without an API key.',
  ),
  VERIFY_BYTES_AT_ONCE: positiveInteger(VERIFY_BUDGET.bytesAtOnce).describe(
    'Maximum bytes of bodies buffered for verification without an API key, of all clients together.',
  ),
  LIMITS_EXEMPT_ADDRESSES: trustedProxies().describe(
    'Client addresses exempt from the limits per address, for example your own verifier.',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: serviceUrl()
    .optional()
    .describe(
      "OTLP receiver (HTTP, JSON) for spans. Unset: no tracing. OpenTelemetry's other variables (`OTEL_SERVICE_NAME`, `OTEL_TRACES_SAMPLER`, `OTEL_EXPORTER_OTLP_HEADERS`, ...) apply as it documents them.",
    ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: serviceUrl()
    .optional()
    .describe('Full URL for spans; takes precedence over `OTEL_EXPORTER_OTLP_ENDPOINT`.'),
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none']).default('otlp').describe('`none` switches tracing off.'),
  OTEL_SDK_DISABLED: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .default(false)
    .describe('`true` switches tracing off.'),
  HEADERS_TIMEOUT_MS: milliseconds(10_000).describe('Maximum time for receiving the head of a request; then 408.'),
  REQUEST_TIMEOUT_MS: milliseconds(300_000).describe('Maximum time for receiving a whole request; then 408.'),
  DRAIN_TIMEOUT_MS: milliseconds(DRAIN_TIMEOUT_MS).describe(
    'Maximum time for finishing accepted requests at shutdown; then connections are closed.',
  ),
  MAX_TOTAL_FRAMES: wholeNumber(2)
    .default(1800)
    .describe('Maximum frames of a rendered loop; must equal that of the renderer.'),
  ALLOW_OPEN_RENDER: flag(false).describe(
    '`1` opens `POST /render` to clients without an API key. For development only.',
  ),
});
