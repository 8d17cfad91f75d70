import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@cer/canonical-json';
import { Secret } from '@cer/http-service/config';
import { evaluateCer, evaluateProject } from '@cer/cer-core/verify';
import { testKeys } from '@cer/cer-core/testing';
import {
  certificates,
  NodeError,
  type CertificatesOptions,
  type Certificates,
  type CertifiedCall,
  type CertifiedProject,
} from '@cer/client';

import { textAt } from '../ask.js';
import { startModelServer, type ModelServer } from '../model-server.js';
import { startTestNode, type TestNode } from '../test-node.js';

const ADMIN_SECRET = 'secret of the administrator';

let node: TestNode;
let key: string;
let models: ModelServer;
let isAway = false;
const folders: string[] = [];
const closers: (() => Promise<unknown>)[] = [];

/** The fetch for the node, which fails while the node is unreachable. */
const reaching: typeof fetch = async (input, init) => {
  if (isAway && (typeof input === 'string' ? input : '').startsWith(node.url)) throw new TypeError('fetch failed');
  return fetch(input, init);
};

beforeAll(async () => {
  node = await startTestNode({ replace: () => ({ adminSecret: new Secret(ADMIN_SECRET) }) });
  key = await node.newKey();
  models = await startModelServer();
});
afterAll(async () => {
  for (const close of closers) await close();
  models.close();
  await node.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function producer(options: Partial<CertificatesOptions> = {}): Certificates {
  const given = { appId: 'tests', nodeUrl: node.url, apiKey: key, spoolDir: null, fetch: reaching, ...options };
  const cer = certificates(given);
  closers.push(() => cer.close({ timeoutMs: 0 }));
  return cer;
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'cer-spool-'));
  folders.push(made);
  return made;
}

async function call(cer: Certificates): Promise<string> {
  const body = JSON.stringify({ model: 'example-1', messages: [{ role: 'user', content: randomUUID() }] });
  const response = await cer.fetch()(models.completions, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  });
  return response.text();
}

const segments = (dir: string): string[] => readdirSync(dir).filter((name) => name.endsWith('.ndjson'));

describe('a producer', () => {
  it('gets valid certificates for calls made while the node was away', async () => {
    const dir = folder();
    const certified: CertifiedCall[] = [];
    const cer = producer({ spoolDir: dir, onCertified: (found) => certified.push(found) });
    isAway = true;
    for (let made = 0; made < 3; made += 1) expect(await call(cer)).toContain('same-id');
    expect(await cer.flush({ timeoutMs: 50 })).toEqual({ waiting: 3 });
    expect(cer.stats()).toMatchObject({ seen: 3, sealed: 3, attested: 0, waiting: 3 });
    isAway = false;
    expect(await cer.flush()).toEqual({ waiting: 0 });
    expect(cer.stats()).toMatchObject({ attested: 3, waiting: 0, dead: 0 });
    for (const { answer, certificateHash } of certified) {
      const { status } = await evaluateCer(answer['cer'], { keySet: testKeys(), verifiedAt: new Date().toISOString() });
      expect(status).toBe('VERIFIED');
      expect(await cer.node.lookup({ certificateHash })).toMatchObject({ certificateHash });
    }
    expect(certified).toHaveLength(3);
    expect(segments(dir)).toEqual([]);
  });

  it('has its platform wait until the certificate is there', async () => {
    const works: Promise<void>[] = [];
    const cer = producer({ waitUntil: (work) => works.push(work) });
    expect(await call(cer)).toContain('same-id');
    expect(works).toHaveLength(1);
    await Promise.all(works);
    expect(cer.stats()).toMatchObject({ attested: 1, waiting: 0 });
  });

  it('sends the bundles of an ended process, once', async () => {
    const dir = folder();
    isAway = true;
    const first = producer({ spoolDir: dir, appId: 'left' });
    await call(first);
    await call(first);
    await first.close({ timeoutMs: 0 });
    isAway = false;
    // As an ended process leaves it: another id, and a last line that was cut off.
    const [left = ''] = segments(dir);
    const lines = readFileSync(join(dir, left));
    const orphan = join(dir, `999999999-${'0'.repeat(16)}.ndjson`);
    writeFileSync(orphan, lines);
    rmSync(join(dir, left));
    appendFileSync(orphan, '{"n":3,"sha256":"ab');
    const second = producer({ spoolDir: dir });
    expect(second.stats()).toMatchObject({ adopted: 1, waiting: 2 });
    expect(await second.flush()).toEqual({ waiting: 0 });
    await second.close();
    expect(second.stats()).toMatchObject({ attested: 2, torn: 1 });
    // The same lines once more are replays: the node makes no second certificate.
    writeFileSync(orphan, lines);
    const third = producer({ spoolDir: dir });
    await third.flush();
    expect(third.stats()).toMatchObject({ attested: 2, dead: 0 });
    const count = await node.database.query(`select count(*) as n from records where app_id = 'left'`);
    expect(Number(count[0]?.['n'])).toBe(2);
  });

  it('leaves segments of running processes alone', () => {
    const dir = folder();
    const name = `1-${'a'.repeat(16)}.ndjson`;
    writeFileSync(join(dir, name), '');
    expect(producer({ spoolDir: dir }).stats().adopted).toBe(0);
    expect(segments(dir)).toEqual([name]);
  });

  it('keeps bundles that the node refuses for good', async () => {
    const dir = folder();
    const dead: string[] = [];
    const cer = producer({ spoolDir: dir, onDeadLetter: (_, code) => dead.push(code) });
    isAway = true;
    await call(cer);
    isAway = false;
    const [segment = ''] = segments(dir);
    const text = readFileSync(join(dir, segment), 'utf8');
    const bundle = /"bundle":(.*)\}$/.exec(text.trimEnd())?.[1] ?? '';
    const { snapshot } = JSON.parse(bundle) as { snapshot: JsonObject };
    const executionId = textAt({ snapshot }, 'snapshot', 'executionId');
    await cer.node.certify({ provider: 'p', model: 'm', input: 'other', output: 'other', executionId });
    await cer.flush();
    expect(dead).toEqual(['EXECUTION_MUTATION_DETECTED']);
    expect(cer.stats()).toMatchObject({ dead: 1, waiting: 0, attested: 0 });
    expect(readFileSync(join(dir, 'dead.ndjson'), 'utf8')).toContain(executionId);
  });

  it('registers the calls of one run as a project', async () => {
    const projects: CertifiedProject[] = [];
    const cer = producer({ apiKey: await node.newKey(), onProject: (made) => projects.push(made) });
    const add = cer.tool('add', (a: number, b: number) => a + b);
    isAway = true;
    await cer.run({ project: 'case-7' }, async () => {
      await call(cer);
      add(1, 2);
    });
    await call(cer);
    isAway = false;
    expect(await cer.flush()).toEqual({ waiting: 0 });
    expect(cer.stats()).toMatchObject({ attested: 3, projects: 1, dead: 0 });
    const found = await cer.node.project(projects[0]?.projectHash ?? '');
    expect(found).toMatchObject({ ok: true, projectTitle: 'case-7', totalSteps: 2 });
    const { status } = await evaluateProject(found, { keySet: testKeys(), verifiedAt: new Date().toISOString() });
    expect(status).toBe('VERIFIED');
  });

  it('keeps bundles when its key is refused', async () => {
    const cer = producer({ apiKey: 'cer_live_wrong' });
    await call(cer);
    expect(await cer.flush({ timeoutMs: 300 })).toEqual({ waiting: 1 });
    expect(cer.stats()).toMatchObject({ dead: 0, attested: 0 });
  });
});

describe('the routes of the node', () => {
  it('answer through the client', async () => {
    const { node: api } = producer();
    const certified = await api.certify({ provider: 'p', model: 'm', input: 'in', output: 'out', appId: 'routes' });
    const { certificateHash } = certified;
    const bundle = await api.create({ provider: 'p', model: 'm', input: 'in', output: 'out', executionId: 'created' });
    expect(await api.attest(bundle)).toMatchObject({ ok: true, certificateHash: bundle['certificateHash'] });
    expect(await api.verify(certified.cer)).toMatchObject({ status: 'verified' });
    expect(await api.lookup({ certificateHash })).toMatchObject({ certificateHash });
    expect(await api.lookup({ executionId: 'created' }, { mine: true })).toMatchObject({ matchedBy: 'executionId' });
    expect(await api.proof(certificateHash)).toMatchObject({ certificateHash });
    expect(await api.resolve(certificateHash)).toContain(encodeURIComponent(certificateHash));
    expect(await api.keys()).toHaveProperty('keys');
    expect(await api.version()).toHaveProperty('version');
    expect(await api.health()).toMatchObject({ status: 'ok' });
    const zip = Buffer.from(await new Response(await api.exportRecords({ appId: 'routes' })).arrayBuffer());
    expect(zip.subarray(0, 2).toString()).toBe('PK');
    expect(await api.countRecords({ appId: 'routes' })).toMatchObject({ count: 1, isExact: true });
    expect(await api.auditLog(ADMIN_SECRET, { limit: 1 })).toEqual({ entries: [], head: null, next: null });
    expect(await api.auditLog(ADMIN_SECRET, { format: 'otlp' })).toHaveProperty('resourceLogs');
    await expect(api.auditLog('wrong')).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    expect(await api.coverage({ appId: 'routes' })).toMatchObject({ days: [{ appId: 'routes', certified: 1 }] });
    expect(await api.settings()).toMatchObject({ settings: { retentionDays: null }, stated: { node: null } });
  });

  it('give every entry of the audit log, page after page', async () => {
    const { node: api } = producer({ retries: 0 });
    const { certificateHash } = await api.certify({ provider: 'p', model: 'm', input: 'in', output: 'out' });
    const acts = ['hide', 'unhide', 'hide'];
    for (const act of acts) {
      const url = `${node.url}/v1/admin/records/${certificateHash}/${act}`;
      await fetch(url, { method: 'POST', headers: { 'x-admin-secret': ADMIN_SECRET } });
    }
    const { entries } = await api.auditLog(ADMIN_SECRET);
    const read: unknown[] = [];
    for await (const entry of api.auditEntries(ADMIN_SECRET, { limit: 2 })) read.push(entry);
    expect(read).toEqual(entries);
    expect(read).toMatchObject(acts.map((act) => ({ entry: { act: `records.${act}`, target: certificateHash } })));
    const later: unknown[] = [];
    for await (const entry of api.auditEntries(ADMIN_SECRET, { after: 2 })) later.push(entry);
    expect(later).toEqual(read.slice(2));
    await expect(api.auditEntries('wrong').next()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });

  it('change the webhooks of the account', async () => {
    const { webhooks } = producer().node;
    const { webhook } = await webhooks.create({ url: 'https://receiver.example/hook', types: ['quota.reached'] });
    expect(await webhooks.list()).toEqual({ webhooks: [webhook] });
    const id = textAt(webhook, 'id');
    expect(await webhooks.rotate(id, { graceHours: 0 })).toMatchObject({ secret: expect.stringMatching(/^whsec_/) });
    const deliveryId = textAt(await webhooks.test(id), 'deliveryId');
    const listed = await webhooks.deliveries(id, { limit: 1 });
    expect(listed).toMatchObject({ deliveries: [{ id: deliveryId, type: 'webhook.test' }], next: null });
    expect(await webhooks.sendAgain(id, deliveryId)).toMatchObject({ ok: true });
    expect(await webhooks.remove(id)).toMatchObject({ ok: true });
    await expect(webhooks.sendAgain(id, deliveryId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('take and give any number of items', async () => {
    const { node: api } = producer({ apiKey: await node.newKey() });
    const items = Array.from({ length: 620 }, (_, at) => ({ provider: 'p', model: 'm', input: `${at}`, output: 'o' }));
    const statuses: number[] = [];
    for await (const { index, status } of api.certifyBatch(items)) statuses[index] = status;
    expect(statuses).toEqual(items.map(() => 200));
    const seen = new Set<string>();
    for await (const { certificateHash } of api.records({ order: 'oldest', limit: 31 })) seen.add(certificateHash);
    expect(seen.size).toBe(620);
  });

  it('refuse with a closed code', async () => {
    const { node: api } = producer();
    const refused = api.certify({ provider: 'p', model: 'm' });
    await expect(refused).rejects.toBeInstanceOf(NodeError);
    const error = await refused.catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', status: 400, retryAfterMs: null });
    expect(error).toHaveProperty('requestId', expect.stringMatching(/^[0-9a-f-]{36}$/));
    expect(error).toHaveProperty('details', ['input: is required, or inputHash', 'output: is required, or outputHash']);
  });
});
