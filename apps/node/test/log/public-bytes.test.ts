import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { JsonObject } from '@cer/canonical-json';
import { CONFIDENTIAL_MEMBERS, executionRequest, TEST_NODE_ID } from '@cer/cer-core/testing';
import { tenantTag } from '@cer/tlog/leaf';
import { parseCheckpoint } from '@cer/tlog/note';
import { sqliteTestDatabase, type TestDatabase } from '@cer/sql-store/testing';

import { ask, objectAt, textAt } from '../ask.js';
import { until } from '../timestamps/timestamping-node.js';
import { loggingNode, proofOf, type LoggingNode } from './logging-node.js';

// Every byte of a log that readers without a key get, and every row of its tables.

const CANARY = `canary-${randomUUID()}`;
const APP = `app-${randomUUID()}`;

let database: TestDatabase;
let node: LoggingNode;
let hash: string;
let confidential: JsonObject;
const executionId = `run-${randomUUID()}`;

beforeAll(async () => {
  database = await sqliteTestDatabase();
  node = await loggingNode({ database, epochEverySeconds: 0.2 });
  const raw = { input: `in ${CANARY}`, output: { text: `out ${CANARY}` } };
  const body = executionRequest({ ...CONFIDENTIAL_MEMBERS, ...raw, executionId, appId: APP });
  confidential = (await ask(node.node, 'post', '/v1/cer/ai/certify', { key: node.key, body })).body as JsonObject;
  hash = textAt(confidential, 'certificateHash');
  await node.certify();
  node.start();
  for (const log of ['/log', '/log/epochs']) {
    await until(
      () => ask(node.node, 'get', `${log}/checkpoint`),
      (answer) => answer.status === 200 && parseCheckpoint(answer.text).size >= 2,
    );
  }
});
afterAll(async () => {
  await node.close();
  await database.remove();
});

/** A hash as bytes, hex and base64. */
function formsOf(found: Uint8Array): readonly Buffer[] {
  const bytes = Buffer.from(found);
  return [bytes, ...(['hex', 'base64', 'base64url'] as const).map((form) => Buffer.from(bytes.toString(form)))];
}
const bytesOf = (sha256: string): Uint8Array => Buffer.from(sha256.slice('sha256:'.length), 'hex');

async function bytesAt(path: string): Promise<Buffer> {
  const answer = await fetch(`${node.node.url}${path}`);
  expect([path, answer.status]).toEqual([path, 200]);
  return Buffer.from(await answer.arrayBuffer());
}

/** What the log serves without a key. Nothing of it is larger than one tile here. */
async function publicBytes(): Promise<ReadonlyMap<string, Buffer>> {
  const found = new Map<string, Buffer>();
  for (const log of ['/log', '/log/epochs']) {
    const note = await bytesAt(`${log}/checkpoint`);
    found.set(`${log}/checkpoint`, note);
    const { size } = parseCheckpoint(note.toString());
    for (const tile of ['tile/0/000', 'tile/entries/000']) {
      found.set(`${log}/${tile}`, await bytesAt(`${log}/${tile}.p/${size}`));
    }
  }
  found.set('statement', await bytesAt('/.well-known/svc-log.json'));
  const proof = (await proofOf(node.node, hash)).text;
  found.set('proof', Buffer.from(proof));
  const [, extra = ''] = /\\nextra (\S+?)\\n/.exec(proof) ?? [];
  expect(extra).not.toBe('');
  found.set('opening', Buffer.from(extra, 'base64'));
  return found;
}

const saltsOf = (): readonly string[] =>
  ['input', 'output'].map((name) => textAt(objectAt(confidential, 'openings'), name, 'salt'));

describe('a log', () => {
  it('serves no byte of a tenant without its key', async () => {
    const rows = await database.query('select distinct tenant_id from log_leaves');
    const tenantId = String(rows[0]?.['tenant_id']);
    const secrets: readonly (readonly [string, readonly Buffer[]])[] = [
      ['raw content', [Buffer.from(CANARY)]],
      ['salts', saltsOf().flatMap((salt) => [Buffer.from(salt), Buffer.from(salt, 'base64url')])],
      ['API key', [Buffer.from(node.key)]],
      ['app', [Buffer.from(APP)]],
      ['executionId', [Buffer.from(executionId)]],
      ['tenant', [Buffer.from(tenantId)]],
      ['tenant tag', formsOf(tenantTag(TEST_NODE_ID, tenantId))],
      ['certificate', formsOf(bytesOf(hash))],
      ['label', ['"number"', '"label"', '"kind"', '"tenant"'].map((name) => Buffer.from(name))],
    ];
    const found: string[] = [];
    for (const [where, bytes] of await publicBytes()) {
      for (const [what, forms] of secrets) {
        // The answer with a proof names the certificate that was asked for.
        if (where === 'proof' && what === 'certificate') continue;
        if (forms.some((form) => bytes.includes(form))) found.push(`${what} in ${where}`);
      }
    }
    expect(found).toEqual([]);
  });

  it('gives another tenant the public opening alone', async () => {
    const other = await node.node.newKey();
    const [own, others, without] = await Promise.all(
      [node.key, other, undefined].map(async (key) => (await proofOf(node.node, hash, key)).text),
    );
    expect(others).toBe(without);
    expect(own).not.toBe(without);
    const answer = await ask(node.node, 'get', '/v1/log/completeness', { key: other });
    expect(answer.text).not.toContain(APP);
  });

  it('stores no raw content, opening or key in its tables', async () => {
    const tables = await database.query(`select name from sqlite_master where type = 'table' and name like 'log_%'`);
    const stored: Buffer[] = [];
    for (const { name } of tables) {
      for (const row of await database.query(`select * from ${String(name)}`)) {
        for (const value of Object.values(row)) {
          stored.push(value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(String(value)));
        }
      }
    }
    const all = Buffer.concat(stored);
    // If this is not found, the search itself is broken: labels name the app, for the tenant.
    expect(all.includes(APP)).toBe(true);
    const secrets = [CANARY, node.key, ...saltsOf()];
    expect(secrets.filter((secret) => all.includes(secret))).toEqual([]);
    expect(saltsOf().filter((salt) => all.includes(Buffer.from(salt, 'base64url')))).toEqual([]);
    expect(node.node.log.filter((line) => line.includes(CANARY) || line.includes(APP))).toEqual([]);
  });
});
