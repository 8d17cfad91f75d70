import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonValue } from '@cer/canonical-json';
import {
  AuditChainCheck,
  makeKeySetStatement,
  nextKeyHistoryEntry,
  signKeySetStatement,
  type KeyHistoryEntries,
} from '@cer/cer-core/logs';
import { executionRequest } from '@cer/cer-core/testing';
import { parseKeySet, toSpkiBase64, type NodeKeySet, type Signer } from '@cer/keys';
import { KEY_HISTORY_TYPE, parseKeyHistory, type KeyHistoryDocument } from '@cer/keys/key-history';
import { testSigner } from '@cer/keys/testing';
import { postgresTestDatabase, type TestDatabase } from '@cer/sql-store/testing';

import { ask, at, textAt, type Answer } from '../ask.js';
import { premisesOn, runNode, startNodeProcess, type NodeProcess, type Premises } from '../node-process.js';

const ADMIN_SECRET = 'secret of the test administrator';

let database: TestDatabase;
let premises: Premises;
let node: NodeProcess;

// On PostgreSQL no root key is created: the published history waits for an offline root.
beforeAll(async () => {
  database = await postgresTestDatabase();
  premises = await premisesOn(database);
  node = await startNodeProcess({ ...premises.env, ADMIN_SECRET });
});
afterAll(async () => {
  node.kill('SIGTERM');
  await node.ended;
  premises.remove();
  await database.remove();
});

const admin = (path: string, body?: unknown, secret = ADMIN_SECRET): Promise<Answer> =>
  ask(node, 'post', path, { headers: { 'X-Admin-Secret': secret }, ...(body !== undefined && { body }) });
const published = async (): Promise<KeyHistoryDocument> =>
  parseKeyHistory((await ask(node, 'get', '/.well-known/svc-key-history.json')).body);

/** The output of `cer keys root sign`: adds a new root, and a statement over everything. */
async function signedBy(root: Signer, { nodeId, entries, statement }: KeyHistoryDocument): Promise<KeyHistoryDocument> {
  const issuedAt = new Date().toISOString();
  const isNew = !entries.some(({ change }) => change.type === 'root-added');
  const change = { type: 'root-added', root: { kid: root.kid, publicKey: toSpkiBase64(root.publicKey) } } as const;
  const history: KeyHistoryEntries = {
    nodeId,
    entries: isNew ? [...entries, nextKeyHistoryEntry({ nodeId, entries }, { issuedAt, change })] : entries,
  };
  const made = makeKeySetStatement(history, {
    version: (statement?.version ?? 0) + 1,
    issuedAt,
    nextUpdate: new Date(Date.parse(issuedAt) + 86_400_000).toISOString(),
  });
  const signatures = [await signKeySetStatement(made, root)];
  return { type: KEY_HISTORY_TYPE, ...history, statement: made, signatures };
}

describe('a key history with an offline root', () => {
  it('is published unsigned with CORS and caching', async () => {
    const { headers, body } = await ask(node, 'get', '/.well-known/svc-key-history.json');
    // A loaded node may have an older table, which shortens the cache lifetime.
    const caching = expect.stringMatching(/^public, max-age=(60|5\d)$/);
    expect(headers).toMatchObject({ 'cache-control': caching, 'access-control-allow-origin': '*' });
    expect(body).toMatchObject({ statement: null, signatures: [] });
  });

  it('accepts a valid signed document once', async () => {
    const root = testSigner('offline root');
    const signed = await signedBy(root, await published());
    const [signature] = signed.signatures;
    const forged = { ...signed, signatures: [{ ...signature, kid: root.kid, signature: 'A'.repeat(86) }] };
    for (const bad of [forged, { ...signed, signatures: [] }, { ...signed, statement: null }, {}, 'canary']) {
      const refused = await admin('/v1/admin/key-history', bad);
      expect(refused.status).toBe(400);
      expect(refused.text).not.toContain('canary');
    }
    const { statement: made } = signed;
    if (made === null) throw new Error('there is no statement');
    const last = { ...made, version: Number.MAX_SAFE_INTEGER };
    const ending = { ...signed, statement: last, signatures: [await signKeySetStatement(last, root)] };
    expect((await admin('/v1/admin/key-history', ending)).status).toBe(400);
    expect(await admin('/v1/admin/key-history', signed)).toMatchObject({ status: 200, body: { version: 1, seq: 3 } });
    expect(await published()).toEqual(signed);
    expect((await admin('/v1/admin/key-history', signed)).status).toBe(409);
  });

  it('refuses foreign keys and a diverged history', async () => {
    const root = testSigner('offline root');
    const current = await published();
    const { nodeId, entries } = current;
    const thief = testSigner('thief');
    const time = new Date().toISOString();
    const key = { kid: thief.kid, algorithm: 'Ed25519', publicKey: toSpkiBase64(thief.publicKey) } as const;
    const added = nextKeyHistoryEntry(
      { nodeId, entries },
      { issuedAt: time, change: { type: 'key-added', key: { ...key, createdAt: time, notBefore: time } } },
    );
    const grown = await signedBy(root, { ...current, entries: [...entries, added] });
    expect((await admin('/v1/admin/key-history', grown)).status).toBe(400);
    const [first] = entries;
    if (first === undefined) throw new Error('no entry');
    const forked = nextKeyHistoryEntry(
      { nodeId, entries: entries.slice(0, -1) },
      { issuedAt: time, change: { type: 'root-added', root: { kid: thief.kid, publicKey: key.publicKey } } },
    );
    const fork = await signedBy(thief, { ...current, entries: [...entries.slice(0, -1), forked] });
    expect((await admin('/v1/admin/key-history', fork)).status).toBe(409);
  });
});

describe('the admin routes of keys', () => {
  it('are closed without the secret', async () => {
    for (const path of ['/v1/admin/keys/rotate', '/v1/admin/keys/x/revoke', '/v1/admin/key-history']) {
      expect((await admin(path, {}, 'another secret')).status).toBe(401);
    }
    expect((await published()).entries).toHaveLength(3);
  });

  it.each([
    ['/v1/admin/keys/rotate', { immediate: 'yes' }],
    ['/v1/admin/keys/rotate', { now: true }],
    ['/v1/admin/keys/x/revoke', {}],
    ['/v1/admin/keys/x/revoke', { reason: 'canary' }],
    ['/v1/admin/keys/x/revoke', { reason: 'superseded', compromisedSince: 'canary' }],
  ])('refuse %s with %j', async (path, body) => {
    const refused = await admin(path, body);
    expect([refused.status, at(refused.body, 'error')]).toEqual([400, 'VALIDATION_ERROR']);
    expect(refused.text).not.toContain('canary');
  });

  it('answer 404 for an unknown kid', async () => {
    expect((await admin('/v1/admin/keys/none/revoke', { reason: 'unspecified' })).status).toBe(404);
  });

  it('rotate without a body and log it', async () => {
    const rotated = await admin('/v1/admin/keys/rotate', { immediate: true });
    expect(rotated.status).toBe(200);
    const made = await ask(node, 'post', '/v1/cer/ai/certify', { key: premises.key, body: executionRequest() });
    expect(textAt(made.body, 'kid')).toBe(textAt(rotated.body, 'kid'));
    const log = await ask(node, 'get', '/v1/admin/audit', { headers: { 'X-Admin-Secret': ADMIN_SECRET } });
    expect(log.text).toContain('"act":"keys.history"');
    expect(log.text).toContain('"act":"keys.rotate"');
  });

  it('end the log under a valid key after a revocation', async () => {
    const keySetOf = async (): Promise<NodeKeySet> =>
      parseKeySet((await ask(node, 'get', '/.well-known/svc-node.json')).body);
    const kid = textAt((await ask(node, 'get', '/')).body, 'activeKid');
    const revoked = await admin(`/v1/admin/keys/${kid}/revoke`, { reason: 'keyCompromise' });
    expect(revoked).toMatchObject({ status: 200, body: { status: 'revoked', kid } });
    const log = await ask(node, 'get', '/v1/admin/audit', { headers: { 'X-Admin-Secret': ADMIN_SECRET } });
    const { entries, head } = log.body as { entries: JsonValue[]; head: JsonValue };
    const check = new AuditChainCheck({ keySet: await keySetOf(), seen: null });
    for (const entry of entries) expect(await check.add(entry)).toBeNull();
    expect(await check.end(head)).toBeNull();
    expect(at(entries.at(-2), 'entry')).toMatchObject({ act: 'keys.revoke', target: kid });
    const details = { replacedBy: textAt(revoked.body, 'replacedBy') };
    expect(at(entries.at(-1), 'entry')).toMatchObject({ act: 'keys.revoked', target: kid, details });
  });
});

it('require an upgrade of old key files on shared databases', async () => {
  const current = premises.env['KEYS_FILE'] ?? '';
  // A separate file: the mark beside the other one belongs to another database.
  const file = `${current}.old`;
  const { wrappingKey, ...old } = JSON.parse(readFileSync(current, 'utf8')) as Record<string, unknown>;
  expect(wrappingKey).toBeDefined();
  writeFileSync(file, JSON.stringify(old));
  chmodSync(file, 0o600);
  const second = await postgresTestDatabase();
  try {
    const env = { ...premises.env, KEYS_FILE: file, DATABASE_URL: second.url, PORT: '0' };
    const refused = await runNode([], env);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('keys upgrade')]);
    expect((await runNode(['keys', 'upgrade'], env)).stdout).toContain('has its wrapping key');
    expect((await runNode(['keys', 'upgrade'], env)).stdout).toContain('nothing to do');
    const upgraded = await startNodeProcess(env);
    expect((await ask(upgraded, 'get', '/ready')).status).toBe(200);
    upgraded.kill('SIGTERM');
    await upgraded.ended;
  } finally {
    await second.remove();
    rmSync(file);
  }
});
