import { createHash, createPrivateKey, randomUUID, sign } from 'node:crypto';

import { createMetrics, serve } from '@cer/http-service/process';
import { recordedLog } from '@cer/http-service/testing';
import type { Attestor, PublishSettings } from '@cer/cer-core/attest';
import { TEST_ATTESTOR, TEST_NODE_ID, TEST_SIGNER } from '@cer/cer-core/testing';
import type { Signer } from '@cer/keys';
import { testKeySet } from '@cer/keys/testing';
import { sqliteTestDatabase, type TestDatabase } from '@cer/sql-store/testing';

import { createApp, type NodeDeps } from '../src/start/app.js';
import { createAuditLog } from '../src/audit-log/audit-log.js';
import { apiKeyPrefix, generateApiKey, hashApiKey, SCOPES } from '@cer/control-plane';
import { ownKeyDirectory, type KeyDirectory } from '../src/auth/key-directory.js';
import type { CommitmentSecrets } from '../src/certify/commitment-secrets.js';
import { describeRuntime } from '../src/status/runtime.js';
import { createRefusalCounts } from '../src/coverage/refusals.js';
import { createQuota } from '../src/limits/quota.js';
import { FIXED_KEYS, fixedSigning } from '../src/testing/fixed-signing.js';
import { openStore, type Store, type StoreOptions } from '../src/store/index.js';

export const VERIFY_URL = 'https://verify.example';

export const TEST_LIMITS = {
  bodyLimitBytes: 256 * 1024,
  batchLimitBytes: 32 * 1024 * 1024,
  verifyLimitBytes: 128 * 1024,
  projectLimitBytes: 1024 * 1024,
  projectVerifyLimitBytes: 512 * 1024,
};

/** A node under test: the whole app on a real database and a real port. */
export interface TestNode {
  readonly url: string;
  readonly store: Store;
  readonly database: TestDatabase;
  readonly deps: NodeDeps;
  /** The log lines so far, at the lowest level. */
  readonly log: readonly string[];
  /** A new key of a tenant, by default with all scopes. */
  readonly newKey: (tenant?: string, scopes?: readonly string[]) => Promise<string>;
  readonly close: () => Promise<void>;
}

/** The parts of a node that tests replace; its audit log follows from them. */
type UsualDeps = Omit<NodeDeps, 'auditLog'>;

export interface TestNodeOptions {
  readonly database?: TestDatabase;
  readonly queueLimit?: number;
  readonly writerThread?: StoreOptions['writerThread'];
  readonly replaceDatabase?: StoreOptions['replaceDatabase'];
  /** Members that the tenants publish beyond the defaults. */
  readonly publish?: Partial<PublishSettings>;
  /** Replacement parts, built from the default ones. */
  readonly replace?: (deps: UsualDeps) => Partial<UsualDeps>;
  /** The same for parts that take time to build. */
  readonly replaceAsync?: (deps: UsualDeps) => Promise<Partial<UsualDeps>>;
}

const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The key of TEST_SIGNER in native code: a signature in jest's sandbox takes milliseconds otherwise. */
function nativeTestSigner(): Signer {
  const seed = createHash('sha256').update('cer test signer active').digest();
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_ED25519, seed]), format: 'der', type: 'pkcs8' });
  return { ...TEST_SIGNER, sign: async (message) => new Uint8Array(sign(null, message, key)) };
}

/** Commitment secrets derived from their ids. */
export function testSecrets(activeId: string, ...olderIds: readonly string[]): CommitmentSecrets {
  const known = new Map([activeId, ...olderIds].map((id) => [id, new Uint8Array(32).fill(id.length + 7)]));
  return {
    activeId,
    ids: [...known.keys()],
    has: (id) => known.has(id),
    secretOf: (id) => known.get(id) ?? new Uint8Array(0),
  };
}

export async function startTestNode(options: TestNodeOptions = {}): Promise<TestNode> {
  const database = options.database ?? (await sqliteTestDatabase());
  const store = await openStore({
    databaseUrl: database.url,
    queueLimit: options.queueLimit ?? 10_000,
    writerThread: options.writerThread,
    ...(options.replaceDatabase !== undefined && { replaceDatabase: options.replaceDatabase }),
    // A node that briefly counts alone admits more than its limit.
    rateAnswerWithinMs: 60_000,
  });
  const { logger, lines } = recordedLog();
  logger.level = 'trace';
  const runtime = describeRuntime(TEST_NODE_ID);
  const attestor: Attestor = { ...TEST_ATTESTOR, signer: nativeTestSigner(), nodeRuntimeHash: runtime.hash };
  const quota = createQuota({ quotas: store.quotas, now: () => new Date(), logger });
  const usual: UsualDeps = {
    ...TEST_LIMITS,
    store,
    keys: publishing(ownKeyDirectory(store), options.publish),
    ...FIXED_KEYS,
    signing: fixedSigning(attestor, testKeySet({ nodeId: TEST_NODE_ID, signers: [{ signer: TEST_SIGNER }] })),
    secrets: testSecrets('secret-1'),
    quota,
    refusals: createRefusalCounts({ store, now: () => new Date(), logger }),
    render: { renderer: null, maxTotalFrames: 1800, allowOpenRender: false },
    runtime,
    tenantWebhooks: { allowsPrivate: false },
    verifyUrl: VERIFY_URL,
    logger,
    metrics: createMetrics(),
    now: () => new Date(),
    restored: { assertAccepted: () => Promise.resolve() },
  };
  const replaced = { ...usual, ...options.replace?.(usual), ...(await options.replaceAsync?.(usual)) };
  const auditLog = createAuditLog({ audit: store.audit, signing: replaced.signing, now: replaced.now });
  const deps = { ...replaced, auditLog };
  const server = await serve(createApp(deps), { host: '127.0.0.1', port: 0, logger });
  return {
    url: server.url,
    store,
    database,
    deps,
    log: lines,
    newKey: (tenant = `tenant ${randomUUID()}`, scopes = SCOPES) => newKey(store, tenant, scopes),
    close: async () => {
      await server.close();
      await deps.quota.close();
      await deps.refusals.close();
      await store.close();
      if (options.database === undefined) await database.remove();
    },
  };
}

async function newKey(store: Store, tenant: string, scopes: readonly string[]): Promise<string> {
  const { tenantId } = await store.tenants.createTenant(tenant);
  const key = generateApiKey();
  await store.tenants.createApiKey({ tenantId, keyHash: hashApiKey(key), prefix: apiKeyPrefix(key), scopes });
  return key;
}

function publishing(directory: KeyDirectory, publish: Partial<PublishSettings> | undefined): KeyDirectory {
  if (publish === undefined) return directory;
  return {
    find: async (keyHash) => {
      const caller = await directory.find(keyHash);
      return caller === null ? null : { ...caller, publish: { ...caller.publish, ...publish } };
    },
  };
}
