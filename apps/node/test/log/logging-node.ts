import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { JsonObject } from '@cer/canonical-json';
import { executionRequest, TEST_NODE_ID } from '@cer/cer-core/testing';
import type { Secret } from '@cer/http-service/config';
import { createKeyVault, openKeyVault } from '@cer/keys/file-signer';
import { formatVkey } from '@cer/tlog/note';

import { noteKeyOfLog } from '../../src/log/opened-log.js';
import type { RestoredStore } from '../../src/restore-mark/restored-store.js';
import type { SigningKeyHolder } from '../../src/signing/key-holder.js';
import { sealedKeyHolder } from '../../src/signing-keys/sealed-key-holder.js';
import type { NodeDeps } from '../../src/start/app.js';
import { askWitness } from '../../src/log/witness-client.js';
import { openLog, type LogSetup } from '../../src/start/open-log.js';
import type { Worker } from '../../src/worker/worker.js';
import { ask, textAt, type Answer } from '../ask.js';
import { startTestNode, type TestNode, type TestNodeOptions } from '../test-node.js';
import type { TestDatabase } from '@cer/sql-store/testing';

export const ORIGIN = 'node.example/log';

export interface LoggingOptions {
  readonly database?: TestDatabase;
  /** Lines of the policy, without those of the logs. */
  readonly policy?: string;
  readonly epochEverySeconds?: number;
  /** Opens the keys of an earlier node of the same database. */
  readonly keysFolder?: string;
  /** True for the first node of a given folder. */
  readonly isNewFolder?: boolean;
  readonly now?: () => Date;
  readonly adminSecret?: Secret<string>;
  readonly replace?: TestNodeOptions['replace'];
}

export interface TestLogOptions {
  readonly policyFile?: string | null;
  readonly everyMs?: number;
  readonly epochEverySeconds?: number;
  readonly now: () => Date;
}

/** A node with a log that is started when the test says so. */
export interface LoggingNode {
  readonly node: TestNode;
  readonly setup: LogSetup;
  readonly key: string;
  readonly keysFolder: string;
  readonly certify: (members?: JsonObject, key?: string) => Promise<string>;
  /** @param restored by default there is no gap to accept */
  readonly start: (restored?: RestoredStore) => Worker;
  /** A policy that takes both logs, and these lines. */
  readonly policy: (lines?: string) => string;
  readonly close: () => Promise<void>;
}

export async function loggingNode(options: LoggingOptions = {}): Promise<LoggingNode> {
  const keysFolder = options.keysFolder ?? mkdtempSync(join(tmpdir(), 'cer-log-'));
  const policyFile = join(keysFolder, 'policy.txt');
  writeFileSync(policyFile, options.policy ?? 'quorum none\n');
  const holder =
    options.keysFolder === undefined || options.isNewFolder === true
      ? newKeyHolder(keysFolder)
      : sealedKeyHolder(openKeyVault(join(keysFolder, 'log-keys.json')));
  const setups: (LogSetup | null)[] = [];
  const node = await startTestNode({
    ...(options.database !== undefined && { database: options.database }),
    ...(options.replace !== undefined && { replace: options.replace }),
    replaceAsync: async (deps) => {
      const now = options.now ?? deps.now;
      const setup = await openTestLog(deps, holder, { ...options, policyFile, now });
      setups.push(setup);
      return {
        log: setup?.log ?? null,
        now,
        ...(options.adminSecret !== undefined && { adminSecret: options.adminSecret }),
      };
    },
  });
  const opened = setups[0] ?? null;
  if (opened === null) throw new Error('the log was not opened');
  const key = await node.newKey();
  const workers: Worker[] = [];
  return {
    node,
    setup: opened,
    key,
    keysFolder,
    certify: async (members = {}, by = key) => {
      const body = executionRequest({ executionId: randomUUID(), ...members });
      return textAt((await ask(node, 'post', '/v1/cer/ai/certify', { key: by, body })).body, 'certificateHash');
    },
    start: (restored = { assertAccepted: async () => undefined }) => {
      const worker = opened.start(restored);
      workers.push(worker);
      return worker;
    },
    policy: (lines = 'quorum none\n') => {
      const { receipts, epochs } = opened.log;
      return [receipts, epochs].map((row) => `log ${formatVkey(noteKeyOfLog(row))}\n`).join('') + lines;
    },
    close: async () => {
      await Promise.all(workers.map((worker) => worker.stop()));
      await node.close();
      if (options.keysFolder === undefined) rmSync(keysFolder, { recursive: true });
    },
  };
}

/** Opens the log of a test node; the first time it begins. */
export async function openTestLog(
  { store, logger }: Pick<NodeDeps, 'store' | 'logger'>,
  holder: SigningKeyHolder,
  { policyFile = null, everyMs = 5, epochEverySeconds = 3600, now }: TestLogOptions,
): Promise<LogSetup | null> {
  const log = { origin: ORIGIN, policyFile, everyMs, witnessEverySeconds: 0.02, epochEverySeconds };
  return await openLog({
    config: { log, databaseUrl: 'sqlite:file', makesRootKey: true, rootKeyFile: null },
    store,
    holders: [holder],
    history: { read: async () => ({ nodeId: TEST_NODE_ID, entries: [] }) },
    nodeId: TEST_NODE_ID,
    ask: askWitness,
    now,
    logger,
  });
}

/** A holder of keys in a new file. */
export function newKeyHolder(folder: string): SigningKeyHolder {
  return sealedKeyHolder(
    createKeyVault(join(folder, 'log-keys.json'), { nodeId: TEST_NODE_ID, now: new Date(), withKey: false }),
  );
}

/** The proof of a certificate, in the form that packages carry. */
export function proofOf(node: TestNode, hash: string, key?: string): Promise<Answer> {
  const path = `/v1/log/proof?certificate_hash=${encodeURIComponent(hash)}`;
  return ask(node, 'get', path, { headers: { accept: 'application/json' }, ...(key !== undefined && { key }) });
}
