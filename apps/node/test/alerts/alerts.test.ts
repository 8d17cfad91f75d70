import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RevocationReason } from '@cer/keys/key-history';
import { Secret } from '@cer/http-service/config';
import { silentLogger } from '@cer/http-service/process';
import type { PolicyWitness } from '@cer/tlog';
import { Webhook } from 'standardwebhooks';
import { auditSource } from '../../src/alerts/audit-source.js';
import { deliverDue, RETRY_AFTER_MS } from '../../src/alerts/deliver.js';
import { readEndpoints, type AlertEndpoint } from '../../src/alerts/endpoints.js';
import { observeAll } from '../../src/alerts/observe.js';
import { createPostWebhook } from '../../src/alerts/post-webhook.js';
import { resolveBySystem } from '../../src/alerts/public-address.js';
import { createQuotaSource } from '../../src/alerts/quota-source.js';
import type { AlertSource } from '../../src/alerts/source.js';
import {
  deadLetterSource,
  readinessSource,
  retiringKeySource,
  revokedKeySource,
  timestampingSource,
} from '../../src/alerts/sources.js';
import { startAlerts } from '../../src/alerts/start-alerts.js';
import { createWitnessSource } from '../../src/alerts/witness-source.js';
import { createQuota } from '../../src/limits/quota.js';
import type { AuditStore, ClientReport } from '../../src/store/index.js';
import type { AskWitness } from '../../src/log/witness-client.js';
import { ask, textAt } from '../ask.js';
import { ASKED, keyPremises } from '../signing-keys/key-premises.js';
import { newRecord } from '../store/new-record.js';
import { startTestNode, type TestNode } from '../test-node.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const ADMIN = 'an-admin-secret-of-the-tests';
const secret = `whsec_${randomBytes(32).toString('base64')}`;

interface Message {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

describe('alerts', () => {
  let node: TestNode;
  let server: Server;
  let folder: string;
  let file: string;
  let endpoint: AlertEndpoint;
  let time = Date.now();
  let status = 200;
  const now = (): Date => new Date(time);
  const received: Message[] = [];
  const waiting: ((message: Message) => void)[] = [];

  beforeAll(async () => {
    node = await startTestNode({ replace: () => ({ adminSecret: new Secret(ADMIN) }) });
    server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const body = Buffer.concat(parts).toString();
        const headers = Object.fromEntries(
          Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
        );
        // Refuses a wrong signature; the clock of a test may be another.
        const at = Number(headers['webhook-timestamp']);
        const signed = new Webhook(secret).sign(headers['webhook-id'] ?? '', new Date(at * 1000), body);
        const isSigned = headers['webhook-signature'] === signed;
        const message = { id: headers['webhook-id'] ?? '', ...(JSON.parse(body) as Omit<Message, 'id'>) };
        response.writeHead(isSigned ? status : 401).end();
        if (!isSigned) return;
        received.push(message);
        waiting.shift()?.(message);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    folder = mkdtempSync(join(tmpdir(), 'cer-alerts-'));
    file = join(folder, 'alerts.json');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    endpoint = { tenantId: null, name: 'ops', url, secrets: [secret], types: null };
    write({ endpoints: [{ name: 'ops', url, secrets: [secret] }] });
  });

  afterAll(async () => {
    await node.close();
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true });
  });

  const write = (content: unknown): void => {
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 });
  };
  const post = createPostWebhook({ allowsPrivate: true, resolve: resolveBySystem, now });
  const deliver = () =>
    deliverDue(
      { alerts: node.store.alerts, post, now, logger: silentLogger() },
      { whose: 'operator', named: async () => [endpoint] },
    );
  const observe = async (...sources: AlertSource[]): Promise<readonly Message[]> => {
    const before = received.length;
    await observeAll({ alerts: node.store.alerts, sources, logger: silentLogger() }, async () => [endpoint], now());
    await deliver();
    return received.slice(before);
  };
  /** The audit log as an intruder in the database leaves it, while it is changed. */
  const changedLog = (isChanged: () => boolean): AuditStore => {
    const { audit } = node.store;
    const text = (entryJson: string): string => (isChanged() ? entryJson.replace('hide', 'show') : entryJson);
    return {
      append: (row) => audit.append(row),
      last: () => audit.last(),
      after: async (seq, limit) =>
        (await audit.after(seq, limit)).map((row) => ({ ...row, entryJson: text(row.entryJson) })),
    };
  };
  const next = (): Promise<Message> => new Promise((resolve) => waiting.push(resolve));

  it('report when a record awaits its timestamp, then gets it', async () => {
    const source = timestampingSource(node.store);
    const metaJson = JSON.stringify({ attestation: { receipt: {}, signature: 'AA' } });
    await node.store.records.recordOnce(newRecord({ metaJson }));
    expect(await observe(source)).toEqual([]);
    time += 11 * MINUTE_MS;
    expect(await observe(source)).toMatchObject([
      { type: 'timestamping.failing', data: { status: 'firing', waitingSeconds: 660 } },
    ]);
    expect(await observe(source)).toEqual([]);
    const [waits] = await node.store.timestamps.untimestamped(0, 1);
    if (waits === undefined) throw new Error('no record waits');
    await node.store.timestamps.keep([{ ...waits, asRead: waits }], now().toISOString());
    expect(await observe(source)).toMatchObject([{ type: 'timestamping.failing', data: { status: 'resolved' } }]);
  });

  it('report a quota at 80 and at 100 percent, once each', async () => {
    const source = createQuotaSource();
    const quota = createQuota({ quotas: node.store.quotas, now, logger: silentLogger(), noteUse: source.note });
    const spend = () =>
      quota.admit(
        'tenant-1',
        { requestsPerMinute: null, executionsPerMonth: 10 },
        {
          write: async () => ({ recorded: true }),
          recordedBefore: async () => null,
        },
      );
    for (let execution = 0; execution < 7; execution += 1) await spend();
    expect(await observe(source)).toEqual([]);
    await spend();
    const month = now().toISOString().slice(0, 7);
    expect(await observe(source)).toMatchObject([
      { type: 'quota.reached', data: { tenantId: 'tenant-1', month, percent: 80, limit: 10 } },
    ]);
    await spend();
    await spend();
    expect(await observe(source)).toMatchObject([{ data: { percent: 100 } }]);
    await expect(spend()).rejects.toMatchObject({ refusal: { code: 'QUOTA_EXCEEDED' } });
    expect(await observe(source)).toEqual([]);
    await quota.close();
  });

  it('report dead letters of a producer, once per tenant and day', async () => {
    const day = now().toISOString().slice(0, 10);
    const report = (dead: number, number: number): ClientReport => ({
      ...{ tenantId: 'tenant-dead', clientId: 'client', day, appId: 'desk', report: number, isLast: false },
      ...{ seen: 3, sealed: 3, aborted: 0, failed: 0, truncated: 0, skipped: 0, unsealed: 0, dropped: 0, dead },
      ...{ open: 0, waiting: 0 },
    });
    const count = async (found: ClientReport): Promise<void> => {
      await node.store.records.recordOnce(newRecord());
      const range = await node.store.coverage.uncounted((await node.store.recordList.snapshot()).lastSeq);
      if (range === null) throw new Error('nothing to count');
      await node.store.coverage.addRange(range, [found]);
    };
    const source = deadLetterSource(node.store);
    await count(report(0, 1));
    expect(await observe(source)).toEqual([]);
    await count(report(2, 2));
    expect(await observe(source)).toMatchObject([
      { type: 'dead_letters.reported', data: { status: 'firing', tenantId: 'tenant-dead', day, count: 2 } },
    ]);
    await count(report(3, 3));
    expect(await observe(source)).toEqual([]);
    // A client's counts of earlier days do not belong to today.
    time += 24 * 60 * MINUTE_MS;
    await count({ ...report(3, 4), day: now().toISOString().slice(0, 10) });
    expect(await observe(source)).toEqual([]);
  });

  it('report a witness that is silent, and its return', async () => {
    let answer: Awaited<ReturnType<AskWitness>> = { status: 'later', reason: 'TimeoutError' };
    const source = createWitnessSource(now);
    const asked = source.listening(async () => answer);
    const witness = { name: 'first' } as PolicyWitness;
    const submission = { oldSize: 0, proof: [], note: '' };
    for (let turn = 0; turn < 3; turn += 1) {
      await asked(witness, submission);
      expect(await observe(source)).toEqual([]);
      time += 5 * MINUTE_MS;
    }
    time += MINUTE_MS;
    await asked(witness, submission);
    expect(await observe(source)).toMatchObject([
      { type: 'witness.silent', data: { subject: 'first', status: 'firing' } },
    ]);
    answer = { status: 'cosigned', lines: [] };
    time += 1;
    await asked(witness, submission);
    expect(await observe(source)).toMatchObject([{ data: { subject: 'first', status: 'resolved' } }]);
  });

  it('report a witness that is silent since the clock was set back', async () => {
    let answer: Awaited<ReturnType<AskWitness>> = { status: 'cosigned', lines: [] };
    const source = createWitnessSource(now);
    const asked = source.listening(async () => answer);
    const witness = { name: 'second' } as PolicyWitness;
    const submission = { oldSize: 0, proof: [], note: '' };
    time += 3 * DAY_MS;
    await asked(witness, submission);
    time -= 3 * DAY_MS;
    answer = { status: 'later', reason: 'TimeoutError' };
    await asked(witness, submission);
    expect(await observe(source)).toEqual([]);
    time += 16 * MINUTE_MS;
    await asked(witness, submission);
    expect(await observe(source)).toMatchObject([
      { data: { subject: 'second', status: 'firing', silentSeconds: 960 } },
    ]);
  });

  it('are sent again after the clock was set back', async () => {
    status = 500;
    time += 3 * DAY_MS;
    const [first] = await observe(readinessSource(async () => ['signer: is not available'], 'host-2'));
    time -= 3 * DAY_MS;
    status = 200;
    const before = received.length;
    await deliver();
    expect(received.slice(before).map(({ id }) => id)).toEqual([first?.id]);
  });

  it('fire and end as usual after the clock was set back', async () => {
    let problems = ['signer: is not available'];
    const source = readinessSource(async () => problems, 'host-3');
    time += 3 * DAY_MS;
    expect(await observe(source)).toMatchObject([{ data: { subject: 'host-3', status: 'firing' } }]);
    problems = [];
    expect(await observe(source)).toMatchObject([{ data: { subject: 'host-3', status: 'resolved' } }]);
    time -= 3 * DAY_MS;
    problems = ['signer: is not available'];
    expect(await observe(source)).toMatchObject([{ data: { subject: 'host-3', status: 'firing' } }]);
  });

  it('report an audit log changed in the database', async () => {
    const signal = new AbortController().signal;
    const { signing, auditLog } = node.deps;
    for (const act of ['records.hide', 'records.unhide']) {
      await auditLog.append({ act, target: null, actor: 'a', requestId: null, details: {} });
    }
    const checks = () => auditSource({ audit: node.store.audit, signing, signal });
    expect(await observe(checks())).toEqual([]);
    const spoilt = changedLog(() => true);
    const found = await observe(auditSource({ audit: spoilt, signing, signal }));
    expect(found).toMatchObject([{ type: 'audit_log.invalid', data: { code: 'AUDIT_HASH_MISMATCH', seq: 1 } }]);
    time += 1;
    expect(await observe(checks())).toMatchObject([{ data: { status: 'resolved' } }]);
  });

  it('report a changed audit log, and its end, as usual after the clock was set back', async () => {
    const signal = new AbortController().signal;
    const { signing } = node.deps;
    let isSpoilt = false;
    const audit = changedLog(() => isSpoilt);
    const source = auditSource({ audit, signing, signal });
    time += 11 * MINUTE_MS + 3 * DAY_MS;
    expect(await observe(source)).toEqual([]);
    time -= 3 * DAY_MS;
    isSpoilt = true;
    expect(await observe(source)).toMatchObject([{ type: 'audit_log.invalid', data: { status: 'firing' } }]);
    isSpoilt = false;
    time += 3 * DAY_MS;
    expect(await observe(auditSource({ audit, signing, signal }))).toMatchObject([{ data: { status: 'resolved' } }]);
    isSpoilt = true;
    time += MINUTE_MS * 60;
    expect(await observe(auditSource({ audit, signing, signal }))).toMatchObject([{ data: { status: 'firing' } }]);
    isSpoilt = false;
    time -= 3 * DAY_MS;
    expect(await observe(auditSource({ audit, signing, signal }))).toMatchObject([{ data: { status: 'resolved' } }]);
  });

  it('report a successor key until it signs', async () => {
    const notBefore = new Date(time + MINUTE_MS).toISOString();
    const state = await node.store.signingKeys.read();
    const key = { kid: 'kid-2', status: 'active', notBefore } as (typeof state.keys)[number];
    const source = retiringKeySource({
      signingKeys: { ...node.store.signingKeys, read: async () => ({ ...state, keys: [key] }) },
    });
    expect(await observe(source)).toMatchObject([{ data: { successorKid: 'kid-2', signsFrom: notBefore } }]);
    time += 2 * MINUTE_MS;
    expect(await observe(source)).toMatchObject([{ data: { status: 'resolved' } }]);
  });

  it('report a revoked key once, and none of an earlier day', async () => {
    const premises = await keyPremises();
    const { store, signing, operations } = await premises.open();
    const source = revokedKeySource(store);
    const revoke = async (reason: RevocationReason, compromisedSince?: string): Promise<string> => {
      const { kid } = (await signing.attestorAt(premises.now())).signer;
      await operations.revoke(kid, { reason, compromisedSince }, ASKED, premises.audit);
      return kid;
    };
    const firing = async (): Promise<readonly Message['data'][]> => (await observe(source)).map(({ data }) => data);
    const before = time;
    time = premises.now().getTime();
    expect(await firing()).toEqual([]);
    const since = '2026-04-01T00:00:00.000Z';
    const [kid, revokedAt] = [await revoke('keyCompromise', since), premises.now().toISOString()];
    const told = { status: 'firing', subject: kid, kid, revokedAt, reason: 'keyCompromise', compromisedSince: since };
    expect(await firing()).toEqual([told]);
    premises.pass(31_000);
    const next = await revoke('superseded');
    time = premises.now().getTime();
    expect(await firing()).toMatchObject([{ kid: next, reason: 'superseded' }]);
    await revoke('superseded');
    time += DAY_MS + 1;
    expect(await firing()).toEqual([]);
    await premises.remove();
    time = before;
  });

  it('are retried with growing pauses, fail and can be resent', async () => {
    status = 500;
    const reasons: string[] = ['store: is not available'];
    const [first] = await observe(readinessSource(async () => reasons, 'host-1'));
    expect(first).toMatchObject({ type: 'node.not_ready', data: { subject: 'host-1', reasons: reasons[0] } });
    for (const pause of RETRY_AFTER_MS) {
      const before = received.length;
      time += pause - 1;
      await deliver();
      expect(received).toHaveLength(before);
      time += 1;
      await deliver();
      expect(received.slice(before).map(({ id }) => id)).toEqual([first?.id]);
    }
    const admin = { headers: { 'X-Admin-Secret': ADMIN } };
    const listed = async () => {
      const { body } = await ask(node, 'get', '/v1/admin/alerts/deliveries?limit=1000', admin);
      return (body as { deliveries: readonly Record<string, unknown>[] }).deliveries.find(({ id }) => id === first?.id);
    };
    expect(await listed()).toMatchObject({ state: 'failed', attempts: 8, result: '500', nextAttemptAt: null });
    status = 200;
    const path = `/v1/admin/alerts/deliveries/${first?.id ?? ''}/send`;
    const again = await ask(node, 'post', path, { ...admin, body: {} });
    expect(again.status).toBe(200);
    time = Math.max(time, Date.now()) + 1;
    await deliver();
    expect(await listed()).toMatchObject({ state: 'delivered', attempts: 1, result: '200' });
    expect(received.at(-1)?.id).toBe(first?.id);
    const unknown = await ask(node, 'post', '/v1/admin/alerts/deliveries/msg_x/send', { ...admin, body: {} });
    expect([unknown.status, textAt(unknown.body, 'error')]).toEqual([404, 'NOT_FOUND']);
  });

  it('leave from memory while the database is away', async () => {
    let isAway = true;
    const away = Promise.reject.bind(Promise, new Error('away')) as () => Promise<never>;
    const { alerts, leases } = node.store;
    const store = {
      leases,
      alerts: new Proxy(alerts, {
        get: (target, name: keyof typeof alerts) => (isAway ? away : target[name].bind(target)),
      }),
    };
    const fires = next();
    const running = startAlerts({
      ...{
        file,
        webhooks: null,
        store,
        sources: [],
        slowSources: [],
        post,
        now,
        logger: silentLogger(),
        observeEveryMs: 1,
        deliverEveryMs: 1,
      },
      readiness: readinessSource(async () => (isAway ? ['store: is not available'] : []), 'host-2'),
    });
    expect(await fires).toMatchObject({ data: { subject: 'host-2', status: 'firing' } });
    const ends = next();
    isAway = false;
    expect(await ends).toMatchObject({ data: { subject: 'host-2', status: 'resolved' } });
    await running.stop();
  });

  it('leave while a slow source looks, and its findings at stop', async () => {
    let looks = 0;
    let looking = 0;
    let most = 0;
    let isReady = true;
    let endLook = (): void => undefined;
    const looked = new Promise<void>((resolve) => (endLook = resolve));
    const slow: AlertSource = {
      type: 'audit_log.invalid',
      isComplete: false,
      observe: async () => {
        looks += 1;
        looking += 1;
        most = Math.max(most, looking);
        // What others observe changes once a look is in progress.
        isReady = false;
        await looked;
        looking -= 1;
        return [
          { type: 'audit_log.invalid', subject: 'entry 7', isFiring: true, details: { code: 'AUDIT_REWRITTEN' } },
        ];
      },
    };
    const fires = next();
    const running = startAlerts({
      ...{ file, webhooks: null, store: node.store, sources: [], slowSources: [slow], post, now },
      ...{ logger: silentLogger(), observeEveryMs: 1, deliverEveryMs: 1 },
      readiness: readinessSource(async () => (isReady ? [] : ['store: is not available']), 'host-3'),
    });
    expect(await fires).toMatchObject({ type: 'node.not_ready', data: { subject: 'host-3' } });
    expect(looks).toBe(1);
    const stopped = running.stop();
    endLook();
    await stopped;
    const before = received.length;
    await deliver();
    const found = received.slice(before).filter(({ type }) => type === 'audit_log.invalid');
    expect(found).toMatchObject([{ data: { subject: 'entry 7', status: 'firing' } }]);
    expect([looks, most]).toEqual([1, 1]);
  });

  it('accept the file that docs/operations.md shows', () => {
    const document = readFileSync(join(__dirname, '../../../../docs/operations.md'), 'utf8');
    const [, example = ''] = /```json\n([\s\S]*?)```/.exec(document) ?? [];
    write(example);
    expect(readEndpoints(file)).toMatchObject([{ name: 'on-call' }]);
  });

  it.each<[string, unknown, RegExp]>([
    ['text', '{"canary', /is not JSON$/],
    ['an unknown member', { endpoints: [], canary: 1 }, /the file: has unknown members$/],
    [
      'a short secret',
      { endpoints: [{ name: 'a', url: 'https://a.example', secrets: ['whsec_canary'] }] },
      /secrets\.0: must be whsec_/,
    ],
    [
      'a third secret',
      { endpoints: [{ name: 'a', url: 'https://a.example', secrets: [secret, secret, secret] }] },
      /secrets: /,
    ],
    [
      'credentials',
      { endpoints: [{ name: 'a', url: 'https://canary:b@a.example', secrets: [secret] }] },
      /url: must be an https URL/,
    ],
    [
      'an unknown type',
      { endpoints: [{ name: 'a', url: 'https://a.example', secrets: [secret], types: ['canary'] }] },
      /types\.0: /,
    ],
    [
      'one name twice',
      { endpoints: ['a', 'a'].map((name) => ({ name, url: 'https://a.example', secrets: [secret] })) },
      /must have different names$/,
    ],
  ])('refuse a file with %s, without its values', (_case, content, rule) => {
    const bad = join(folder, 'bad.json');
    rmSync(bad, { force: true });
    writeFileSync(bad, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 });
    const fault = (() => {
      try {
        return readEndpoints(bad);
      } catch (error) {
        return error instanceof Error ? error.message : error;
      }
    })();
    expect(fault).toMatch(rule);
    expect(fault).not.toMatch(/canary|a\.example/);
    chmodSync(bad, 0o644);
    expect(() => readEndpoints(bad)).toThrow('is open to every user');
  });
});
