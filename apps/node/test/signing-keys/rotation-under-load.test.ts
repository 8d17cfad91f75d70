import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { JsonObject } from '@cer/canonical-json';
import { rootFingerprintOf, verifyKeyHistory } from '@cer/cer-core/logs';
import { evaluateCer } from '@cer/cer-core/verify';
import { executionRequest } from '@cer/cer-core/testing';
import { parseKeySet } from '@cer/keys';
import { parseKeyHistory, replayKeyHistory } from '@cer/keys/key-history';
import { createRootFile } from '@cer/keys/file-signer';
import { postgresTestDatabase, type TestDatabase } from '@cer/sql-store/testing';
import { join } from 'node:path';

import { ask, at, objectAt, textAt } from '../ask.js';
import { premisesOn, startNodeProcess, type NodeProcess, type Premises } from '../node-process.js';

const MAX_AGE_S = 2;
const IN_FLIGHT = 4;
/** Pause of a client between two requests, in ms: without it, clients, nodes and the verification keep every core busy. */
const PAUSE_MS = 20;
const ADMIN_SECRET = 'secret of the test administrator';

let database: TestDatabase;
let premises: Premises;
let nodes: readonly NodeProcess[];

beforeAll(async () => {
  database = await postgresTestDatabase();
  premises = await premisesOn(database);
  const rootKeyFile = join(premises.folder, 'root-key.json');
  createRootFile(rootKeyFile, new Date());
  const env = {
    ...premises.env,
    LOG_LEVEL: 'info',
    ADMIN_SECRET,
    ROOT_KEY_FILE: rootKeyFile,
    KEY_SET_MAX_AGE_S: String(MAX_AGE_S),
  };
  nodes = await Promise.all([startNodeProcess(env), startNodeProcess(env)]);
});
afterAll(async () => {
  for (const node of nodes) node.kill('SIGTERM');
  for (const node of nodes) expect(await node.ended).toMatchObject({ code: 0, stderr: '' });
  premises.remove();
  await database.remove();
});

interface Certified {
  readonly cer: JsonObject;
  readonly kid: string;
}

const nodeOf = (turn: number): NodeProcess => {
  const node = nodes[turn % nodes.length];
  if (node === undefined) throw new Error('no node');
  return node;
};

const keySetOf = async (node: NodeProcess): Promise<unknown> =>
  (await ask(node, 'get', '/.well-known/svc-node.json')).body;

const admin = (path: string, body: object): ReturnType<typeof ask> =>
  ask(nodeOf(0), 'post', path, { body, headers: { 'X-Admin-Secret': ADMIN_SECRET } });

/** Certifies continuously at both nodes until stopped; every response must be 200. */
function load(): { readonly certified: Certified[]; readonly failed: string[]; readonly stop: () => Promise<void> } {
  const certified: Certified[] = [];
  const failed: string[] = [];
  const end = new AbortController();
  const client = async (turn: number): Promise<void> => {
    for (let count = turn; !end.signal.aborted; count += 1) {
      const body = executionRequest({ executionId: randomUUID() });
      const {
        status,
        text,
        body: answer,
      } = await ask(nodeOf(count), 'post', '/v1/cer/ai/certify', {
        key: premises.key,
        body,
      });
      if (status !== 200) failed.push(text);
      else certified.push({ cer: objectAt(answer, 'cer') as JsonObject, kid: textAt(answer, 'kid') });
      await sleep(PAUSE_MS);
    }
  };
  const clients = Promise.all(Array.from({ length: IN_FLIGHT }, (_, turn) => client(turn)));
  return {
    certified,
    failed,
    stop: async () => {
      end.abort();
      await clients;
    },
  };
}

async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 1000; tries += 1) {
    if (await isSo()) return;
    await sleep(100);
  }
  throw new Error(`never: ${what}`);
}

it('keeps every certificate verifiable with cached key sets', async () => {
  const before = textAt(await keySetOf(nodeOf(0)), 'activeKid');
  const running = load();
  // A verifier fetches the key set just before the rotation and caches it for its lifetime.
  await until('certificates under the first key', () => running.certified.length > 20);
  const rotated = await admin('/v1/admin/keys/rotate', {});
  expect(rotated.status).toBe(200);
  const kid = textAt(rotated.body, 'kid');
  expect(at(rotated.body, 'previousKid')).toBe(before);

  await until('the new key at the other node', async () => JSON.stringify(await keySetOf(nodeOf(1))).includes(kid));
  await until('certificates under the new key', () => running.certified.filter((each) => each.kid === kid).length > 40);
  const retired = async (): Promise<boolean> =>
    at(await keySetOf(nodeOf(0)), 'keys', 0, 'status') === 'retired' &&
    at(await keySetOf(nodeOf(1)), 'keys', 0, 'status') === 'retired';
  await until('the retirement of the key before', retired);
  const afterwards = running.certified.length;
  await until('certificates after the retirement', () => running.certified.length > afterwards + 20);
  await running.stop();

  expect(running.failed).toEqual([]);
  expect(new Set(running.certified.map((each) => each.kid))).toEqual(new Set([before, kid]));
  const keySet = await keySetOf(nodeOf(0));
  expect(await keySetOf(nodeOf(1))).toEqual(keySet);
  const verifiedAt = new Date().toISOString();
  for (const { cer } of running.certified) {
    expect(await evaluateCer(cer, { keySet: parseKeySet(keySet), verifiedAt })).toMatchObject({ status: 'VERIFIED' });
  }

  // No node signs with the new key before its time, nor while the old key set may be cached, according to the times
  // that the nodes recorded.
  const published = Date.parse(textAt(keySet, 'keys', 1, 'createdAt'));
  const notBefore = Date.parse(textAt(rotated.body, 'notBefore'));
  const signed = running.certified
    .filter((each) => each.kid === kid)
    .map(({ cer }) => Date.parse(textAt(cer, 'meta', 'attestation', 'attestedAt')));
  expect(Math.min(...signed)).toBeGreaterThanOrEqual(notBefore);
  expect(notBefore - published).toBeGreaterThanOrEqual(MAX_AGE_S * 1000);
}, 600_000);

it('rejects the second of two concurrent rotations', async () => {
  const answers = await Promise.all([admin('/v1/admin/keys/rotate', {}), admin('/v1/admin/keys/rotate', {})]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  const refused = answers.find(({ status }) => status === 409);
  expect(at(refused?.body, 'error')).toBe('KEY_ROTATION_IN_PROGRESS');
});

it('invalidates certificates of a revoked key only', async () => {
  const signs = textAt(await keySetOf(nodeOf(0)), 'activeKid');
  const certify = async (turn: number): Promise<unknown> =>
    (
      await ask(nodeOf(turn), 'post', '/v1/cer/ai/certify', {
        key: premises.key,
        body: executionRequest({ executionId: randomUUID() }),
      })
    ).body;
  const old = await certify(0);
  const revoked = await admin(`/v1/admin/keys/${textAt(old, 'kid')}/revoke`, { reason: 'keyCompromise' });
  expect(revoked).toMatchObject({ status: 200, body: { status: 'revoked' } });
  expect(signs.length).toBeGreaterThan(0);
  await until('the revocation at the other node', async () =>
    JSON.stringify(await keySetOf(nodeOf(1))).includes('revoked'),
  );
  for (const turn of [0, 1]) {
    const verdict = async (cer: unknown): Promise<unknown> =>
      at((await ask(nodeOf(turn), 'post', '/v1/cer/verify', { body: { bundle: cer } })).body, 'reasonCode');
    expect(await verdict(at(old, 'cer'))).toBe('KEY_REVOKED');
    expect(await verdict(at(await certify(turn), 'cer'))).toBe('OK');
  }
});

it('publishes a history that verifies with the pinned root', async () => {
  let document: unknown = null;
  await until('the root signs the last change', async () => {
    document = (await ask(nodeOf(1), 'get', '/.well-known/svc-key-history.json')).body;
    const { entries, statement } = parseKeyHistory(document);
    return statement?.historyHead.seq === entries.length;
  });
  const { nodeId, entries } = parseKeyHistory(document);
  const [root] = [...replayKeyHistory(nodeId, entries).roots.values()];
  if (root === undefined) throw new Error('no root');
  const pin = { nodeId, rootFingerprint: rootFingerprintOf(root), highestSeen: null, at: new Date().toISOString() };
  expect(await verifyKeyHistory(document, pin)).toMatchObject({ accepted: true });
  expect(entries.map(({ change }) => change.type)).toEqual(
    expect.arrayContaining(['root-added', 'key-added', 'key-activated', 'key-retired', 'key-revoked']),
  );
});
