import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';

import type { JsonObject } from '@cer/canonical-json';
import { executionRequest } from '@cer/cer-core/testing';
import { createTimestampVerifier, parseTsaRoots } from '@cer/timestamps';
import type { TestDatabase } from '@cer/sql-store/testing';

import { createAuthority } from '../../src/timestamps/authority.js';
import type { TimestampMode } from '../../src/timestamps/timestamp-digests.js';
import { startTimestamping } from '../../src/timestamps/timestamping.js';
import { ask, at, objectAt, textAt, type Answer } from '../ask.js';
import { startTestNode, type TestNode } from '../test-node.js';

export interface TimestampingOptions {
  readonly rootPem: string;
  readonly urls: readonly string[];
  readonly mode: TimestampMode;
  readonly timeoutMs?: number;
  readonly database?: TestDatabase;
}

/** A node with timestamping that is started when the test says so. */
export interface TimestampingNode {
  readonly node: TestNode;
  readonly certify: (members?: JsonObject) => Promise<string>;
  readonly start: () => void;
  readonly close: () => Promise<void>;
}

export async function timestampingNode(options: TimestampingOptions): Promise<TimestampingNode> {
  const { rootPem, urls, mode, timeoutMs = 20_000, database } = options;
  const roots = parseTsaRoots(rootPem);
  const node = await startTestNode({
    ...(database !== undefined && { database }),
    replace: () => ({ timestamps: createTimestampVerifier(roots) }),
  });
  const key = await node.newKey();
  let stop = async (): Promise<void> => undefined;
  return {
    node,
    certify: async (members = {}) => {
      const body = executionRequest({ executionId: randomUUID(), ...members });
      return textAt((await ask(node, 'post', '/v1/cer/ai/certify', { key, body })).body, 'certificateHash');
    },
    start: () => {
      const { logger, now } = node.deps;
      const authorities = urls.map((url) => createAuthority({ url, roots, timeoutMs, firstPauseMs: 5, logger }));
      const worker = startTimestamping({ store: node.store, authorities, mode, now, logger, everyMs: 10 });
      stop = () => worker.stop();
    },
    close: async () => {
      await stop();
      await node.close();
    },
  };
}

export const lookup = (node: TestNode, hash: string): Promise<Answer> =>
  ask(node, 'get', `/v1/cer/public?certificate_hash=${encodeURIComponent(hash)}`);

const PATIENCE_MS = 100_000;

/** Polls until the condition holds; fails with the last value found. */
export async function until<T>(look: () => Promise<T> | T, isSo: (found: T) => boolean): Promise<T> {
  const end = performance.now() + PATIENCE_MS;
  let found = await look();
  while (!isSo(found)) {
    if (performance.now() > end) throw new Error(`condition not met, last value: ${inspect(found)}`);
    await sleep(20);
    found = await look();
  }
  return found;
}

/** The public lookup of a record, once it is timestamped. */
export async function timestamped(node: TestNode, hash: string): Promise<JsonObject> {
  const isTimestamped = ({ body }: Answer): boolean => at(body, 'status') === 'EXTERNALLY_TIMESTAMPED';
  return objectAt((await until(() => lookup(node, hash), isTimestamped)).body) as JsonObject;
}

/** Resolves when the log has a line with this text. */
export async function logged(node: TestNode, text: string): Promise<void> {
  await until(
    () => node.log.filter((line) => /timestamps|authority/.test(line)),
    (lines) => lines.some((line) => line.includes(text)),
  );
}
