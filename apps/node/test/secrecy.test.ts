import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { svcV1, type JsonObject } from '@cer/canonical-json';
import { hashValue } from '@cer/cer-core';
import { CONFIDENTIAL_MEMBERS, executionRequest } from '@cer/cer-core/testing';
import { connectRaw } from '@cer/http-service/testing';
import { postgresTestDatabase, sqliteTestDatabase, type TestDatabase } from '@cer/sql-store/testing';

import { ask, at, objectAt, textAt, type Answer } from './ask.js';
import { sealedElsewhere } from './sealed-elsewhere.js';
import { startTestNode, type TestNode, type TestNodeOptions } from './test-node.js';

// Every raw value contains it, and no storable value does.
const CANARY = `canary-${randomUUID()}`;
// Not secret: if this is not found, the search itself is broken.
const PLAIN = `plain-${randomUUID()}`;

const RAW: JsonObject = { input: `in ${CANARY}`, output: { text: `out ${CANARY}`, list: [CANARY] } };
const request = (members: JsonObject = {}): JsonObject =>
  executionRequest({ executionId: randomUUID(), model: PLAIN, ...RAW, ...members });

/**
 * All files of a database, including its logs. Other test files have databases on the same server, so files appear and
 * vanish concurrently.
 */
function* filesUnder(folder: string, isOthers: (path: string) => boolean): Generator<[string, Buffer]> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (isOthers(path)) continue;
    try {
      if (entry.isDirectory()) yield* filesUnder(path, isOthers);
      else if (entry.isFile()) yield [path, readFileSync(path)];
    } catch (error) {
      // By its code: the error is from another realm than the test's.
      if (typeof error !== 'object' || error === null || !('code' in error) || error.code !== 'ENOENT') throw error;
    }
  }
}

describe.each([
  ['SQLite', sqliteTestDatabase, `select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`],
  ['PostgreSQL', postgresTestDatabase, `select tablename as name from pg_tables where schemaname = 'public'`],
])('on %s no secret is stored', (_name, makeDatabase: () => Promise<TestDatabase>, tablesQuery) => {
  let database: TestDatabase;
  let node: TestNode;
  let key: string;
  const nodes: TestNode[] = [];
  const secrets: string[] = [CANARY];
  const refusals: Answer[] = [];

  beforeAll(async () => {
    database = await makeDatabase();
    node = await nodeWith({});
    key = await node.newKey();
    secrets.push(key, key.slice('cer_live_'.length + 6));
  });
  afterAll(async () => {
    for (const each of nodes) await each.close();
    await database.remove();
  });

  async function nodeWith(options: TestNodeOptions): Promise<TestNode> {
    const made = await startTestNode({ database, ...options });
    nodes.push(made);
    return made;
  }

  const certify = (body: unknown, where = node): Promise<Answer> =>
    ask(where, 'post', '/v1/cer/ai/certify', { key, body });

  async function dump(): Promise<string> {
    const tables = await database.query(tablesQuery);
    const rows = await Promise.all(tables.map(({ name }) => database.query(`select * from ${String(name)}`)));
    return JSON.stringify(rows);
  }

  async function files(): Promise<Iterable<[string, Buffer]>> {
    const path = /^sqlite:(.+)$/.exec(database.url)?.[1];
    if (path !== undefined) return filesUnder(dirname(path), () => false);
    // Committed rows are then in the tables, independent of the server's log.
    await database.query('checkpoint');
    const [row] = await database.query(
      `select current_setting('data_directory') as folder, oid from pg_database where datname = current_database()`,
    );
    const folder = textAt(row, 'folder');
    const own = join(folder, 'base', String(row?.['oid']));
    return filesUnder(folder, (name) => dirname(name) === join(folder, 'base') && name !== own);
  }

  async function expectNothingKept(): Promise<void> {
    const rows = await dump();
    expect(rows).toContain(PLAIN);
    const log = nodes.flatMap((each) => each.log).join('');
    expect(log).toContain('/v1/cer/ai/certify');
    for (const secret of secrets) {
      // Not toContain, which would print everything on failure.
      expect([rows.includes(secret), log.split('\n').filter((line) => line.includes(secret))]).toEqual([false, []]);
    }
    let plainSeen = false;
    for (const [file, bytes] of await files()) {
      plainSeen ||= bytes.includes(PLAIN);
      for (const secret of secrets) expect([file, bytes.includes(secret)]).toEqual([file, false]);
    }
    expect(plainSeen).toBe(true);
    for (const { text } of refusals) for (const secret of secrets) expect(text).not.toContain(secret);
  }

  it('after certify, replay and mutation', async () => {
    for (const members of [{ prompt: CANARY, contextSummary: { c: CANARY }, unknown: CANARY }, CONFIDENTIAL_MEMBERS]) {
      const sent = request(members);
      const first = await certify(sent);
      expect(first.status).toBe(200);
      expect((await certify(sent)).status).toBe(200);
      if (at(first.body, 'openings') !== undefined) {
        secrets.push(textAt(first.body, 'openings', 'input', 'salt'), textAt(first.body, 'openings', 'output', 'salt'));
      }
      refusals.push({ ...first, text: JSON.stringify(at(first.body, 'cer')) });
      refusals.push(await certify({ ...sent, input: `other ${CANARY}` }));
    }
    expect(refusals.map(({ status }) => status)).toEqual([200, 409, 200, 409]);
    await expectNothingKept();
  });

  it('after attest of a bundle with raw values', async () => {
    const snapshot = {
      ...{ model: PLAIN, prompt: CANARY, free: { deep: CANARY }, parameters: { stop: CANARY, temperature: 1 } },
      ...{ input: CANARY, inputHash: hashValue(CANARY, svcV1, ''), output: [CANARY] },
      outputHash: hashValue([CANARY], svcV1, ''),
      toolCalls: [{ toolId: 't', at: '2026-01-01T00:00:00Z', input: CANARY, output: CANARY, note: CANARY }],
      metadata: { m: CANARY },
    };
    const bundle = { ...sealedElsewhere({ snapshot }), declaration: { d: CANARY }, extra: CANARY };
    const attested = await ask(node, 'post', '/api/attest', { key, body: bundle });
    expect(attested.status).toBe(200);
    const replayed = await ask(node, 'post', '/api/attest', { key, body: bundle });
    expect(replayed.text).toBe(attested.text);
    const hash = encodeURIComponent(textAt(attested.body, 'certificateHash'));
    for (const path of ['/v1/cer/public', '/api/public-cer-proof']) {
      const found = await ask(node, 'get', `${path}?certificate_hash=${hash}`);
      expect(found.status).toBe(200);
      refusals.push(found);
    }
    const tampered = { ...bundle, snapshot: { ...objectAt(bundle, 'snapshot'), input: `other ${CANARY}` } };
    const refused = await ask(node, 'post', '/api/attest', { key, body: tampered });
    expect(at(refused.body, 'error')).toBe('INVALID_BUNDLE');
    refusals.push(refused);
    await expectNothingKept();
  });

  it('after a batch of valid and invalid lines', async () => {
    const lines = [request(), request({ model: 5 })].map((line) => JSON.stringify(line));
    lines.push(`{"input":"${CANARY}"`, `{"input":"${CANARY}","input":"${CANARY}"}`);
    const answer = await ask(node, 'post', '/v1/cer/ai/certify-batch', {
      ...{ key, body: lines.join('\n') },
      headers: { 'Content-Type': 'application/x-ndjson' },
    });
    expect(answer.text.split('\n')).toHaveLength(5);
    refusals.push(answer);
    await expectNothingKept();
  });

  it('after schema and canonicalization faults', async () => {
    const lone = JSON.stringify(request({ ...CONFIDENTIAL_MEMBERS, input: { a: `${CANARY}LONE` } }));
    for (const [body, status] of [
      [request({ provider: '', createdAt: CANARY, parameters: { temperature: CANARY } }), 400],
      [`${JSON.stringify(request())} ${CANARY}`, 400],
      [JSON.stringify(request()).replace('"provider"', `"model":"${CANARY}","provider"`), 400],
      [lone.replace('LONE', '\\ud800'), 422],
    ] as const) {
      const refused = await certify(body);
      expect(refused.status).toBe(status);
      refusals.push(refused);
    }
    await expectNothingKept();
  });

  it('after a signer that throws its input', async () => {
    const broken = await nodeWith({
      replace: ({ signing }) => ({
        signing: {
          ...signing,
          attestorAt: async (time) => {
            const attestor = await signing.attestorAt(time);
            const sign = (message: Uint8Array): Promise<never> =>
              Promise.reject(new Error(`${CANARY} ${Buffer.from(message).toString()}`));
            return { ...attestor, signer: { ...attestor.signer, sign } };
          },
        },
      }),
    });
    const sent = request();
    const refused = await certify(sent, broken);
    expect([refused.status, at(refused.body, 'error')]).toEqual([500, 'ATTESTATION_ERROR']);
    refusals.push(refused);
    expect((await certify(sent)).headers['x-idempotent-replay']).toBeUndefined();
    await expectNothingKept();
  });

  it('after a store that throws the row or is busy', async () => {
    const broken = await nodeWith({
      replace: ({ store }) => {
        const records = Object.assign(Object.create(store.records) as typeof store.records, {
          expectRecord: () => store.records.expectRecord(),
          recordOnce: (record: unknown) =>
            Promise.reject(Object.assign(new Error(`${CANARY} ${JSON.stringify(record)}`), { detail: CANARY })),
        });
        return { store: { ...store, records } };
      },
    });
    const refused = await certify(request(), broken);
    expect([refused.status, at(refused.body, 'error')]).toEqual([500, 'ATTESTATION_ERROR']);
    const busy = await nodeWith({ queueLimit: 0 });
    const turnedAway = await certify(request(), busy);
    expect([turnedAway.status, at(turnedAway.body, 'error')]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(Number(turnedAway.headers['retry-after'])).toBeGreaterThan(0);
    refusals.push(refused, turnedAway);
    await expectNothingKept();
  });

  it('after a real database failure, without partial rows', async () => {
    const sent = request();
    await database.query('alter table records rename to records_gone');
    try {
      const refused = await certify(sent);
      expect([refused.status, at(refused.body, 'error')]).toEqual([500, 'ATTESTATION_ERROR']);
      refusals.push(refused);
      const looked = await ask(node, 'get', `/v1/cer/public?execution_id=${textAt(sent, 'executionId')}`);
      expect([looked.status, at(looked.body, 'error')]).toEqual([500, 'INTERNAL_ERROR']);
      refusals.push(looked);
    } finally {
      await database.query('alter table records_gone rename to records');
    }
    const half = `select 1 from executions where execution_id = '${textAt(sent, 'executionId')}'`;
    expect(await database.query(half)).toEqual([]);
    expect((await certify(sent)).headers['x-idempotent-replay']).toBeUndefined();
    await expectNothingKept();
  });

  it('after a key store that throws the key', async () => {
    const broken = await nodeWith({
      replace: () => ({ keys: { find: (keyHash) => Promise.reject(new Error(`${key} ${keyHash}`)) } }),
    });
    const refused = await certify(request(), broken);
    expect([refused.status, at(refused.body, 'error')]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    refusals.push(refused);
    await expectNothingKept();
  });

  it('after a connection cut within a body', async () => {
    const sent = JSON.stringify(request());
    for (const path of ['/v1/cer/ai/certify', '/api/attest']) {
      const served = node.log.length;
      const raw = await connectRaw(node.url);
      raw.send(
        `POST ${path} HTTP/1.1\r\nHost: n\r\nContent-Type: application/json\r\nAuthorization: Bearer ${key}\r\n`,
      );
      raw.send(`Expect: 100-continue\r\nContent-Length: ${sent.length}\r\n\r\n`);
      await raw.until('100 Continue');
      await new Promise((resolve) => raw.socket.write(sent.slice(0, -1), resolve));
      raw.socket.destroy();
      while (!node.log.slice(served).some((line) => line.includes('"status":499'))) await sleep(5);
    }
    await expectNothingKept();
  });
});
