import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { silentLogger } from '@cer/http-service/process';
import { Webhook } from 'standardwebhooks';
import type { FiringAlert } from '../../src/alerts/alert-types.js';
import { deliverDue } from '../../src/alerts/deliver.js';
import { observeAll } from '../../src/alerts/observe.js';
import { createPostWebhook } from '../../src/alerts/post-webhook.js';
import { resolveBySystem } from '../../src/alerts/public-address.js';
import type { AlertSource } from '../../src/alerts/source.js';
import { tenantRecipients } from '../../src/webhooks/tenant-recipients.js';
import { startReceiver, type ReceivedMessage, type Receiver } from '../alerts/receiver.js';
import { ask, at, objectAt, textAt } from '../ask.js';
import { lostAnswers } from '../store/lost-answers.js';
import { startTestNode, type TestNode } from '../test-node.js';

interface Account {
  readonly tenantId: string;
  readonly key: string;
}

describe('webhooks of tenants', () => {
  let node: TestNode;
  let receiver: Receiver;
  let mine: Account;
  let other: Account;
  const { lose, replaceDatabase: losing } = lostAnswers();
  let beforeRotation = (): Promise<unknown> => Promise.resolve();
  let time = Date.now();
  const now = (): Date => new Date(time);

  beforeAll(async () => {
    node = await startTestNode({
      replace: () => ({ tenantWebhooks: { allowsPrivate: true }, now }),
      replaceDatabase: (opened) => {
        const database = losing(opened);
        return {
          ...database,
          all: async (sql, values) => {
            if (sql.includes('update webhooks')) await beforeRotation();
            return database.all(sql, values);
          },
        };
      },
    });
    receiver = await startReceiver();
    const account = async (): Promise<Account> => {
      const name = randomUUID();
      const key = await node.newKey(name);
      return { key, tenantId: (await node.store.tenants.createTenant(name)).tenantId };
    };
    [mine, other] = [await account(), await account()];
  });
  afterAll(async () => {
    await node.close();
    await receiver.close();
  });

  const post = (path: string, body: unknown = {}, { key }: Pick<Account, 'key'> = mine) =>
    ask(node, 'post', `/v1/webhooks${path}`, { key, body });
  const made = async (path: string, members: object = {}, account: Account = mine) => {
    // They are listed in the order of their times.
    time += 1;
    const { status, body } = await post('', { url: receiver.url + path, ...members }, account);
    expect(status).toBe(200);
    return { id: textAt(objectAt(body, 'webhook'), 'id'), secret: textAt(body, 'secret') };
  };
  const recipients = (allowsPrivate = true) =>
    tenantRecipients({
      ...{ webhooks: node.store.webhooks, secrets: node.deps.secrets, now },
      post: createPostWebhook({ allowsPrivate, resolve: resolveBySystem, now }),
    });
  /** Deliveries of one turn. */
  const deliver = async (allowsPrivate = true): Promise<readonly ReceivedMessage[]> => {
    const before = receiver.received.length;
    const { named, post: postTo } = recipients(allowsPrivate);
    const logger = silentLogger();
    await deliverDue({ alerts: node.store.alerts, post: postTo, now, logger }, { whose: 'tenants', named });
    return receiver.received.slice(before);
  };
  const happens = async (alert: Omit<FiringAlert, 'subject'>): Promise<readonly ReceivedMessage[]> => {
    const observation = { ...alert, subject: randomUUID(), isFiring: true };
    const source: AlertSource = { type: alert.type, isComplete: false, observe: async () => [observation] };
    const { endpointsFor } = recipients();
    await observeAll({ alerts: node.store.alerts, sources: [source], logger: silentLogger() }, endpointsFor, now());
    return deliver();
  };
  const paths = (messages: readonly ReceivedMessage[]): readonly string[] =>
    messages.map(({ path }) => path).toSorted();
  const listed = async (id: string, { key }: Pick<Account, 'key'> = mine) =>
    ask(node, 'get', `/v1/webhooks/${id}/deliveries`, { key });

  it('receive alerts about their account, signed with the secret', async () => {
    const [first, second] = [await made('/first'), await made('/keys', { types: ['signing_key.retiring'] })];
    await made('/other', {}, other);
    const details = { tenantId: mine.tenantId, month: '2026-01', percent: 80, limit: 10 };
    const sent = await happens({ type: 'quota.reached', tenantId: mine.tenantId, details });
    expect(paths(sent)).toEqual(['/first']);
    const [message] = sent;
    if (message === undefined) throw new Error('nothing was sent');
    const { body, headers } = message;
    const signed = new Webhook(first.secret).sign(headers['webhook-id'] ?? '', now(), body);
    expect(headers['webhook-signature']).toBe(signed);
    expect(JSON.parse(body)).toMatchObject({ type: 'quota.reached', data: { status: 'firing', percent: 80 } });
    expect(paths(await happens({ type: 'signing_key.retiring', details: {} }))).toEqual(['/first', '/keys', '/other']);
    expect(paths(await happens({ type: 'signing_key.revoked', details: {} }))).toEqual(['/first', '/other']);
    for (const type of ['witness.silent', 'node.not_ready', 'audit_log.invalid', 'log.halted'] as const) {
      expect(await happens({ type, details: { reasons: 'of the operator' } })).toEqual([]);
    }
    const { body: list, text } = await ask(node, 'get', '/v1/webhooks', { key: mine.key });
    expect(list).toMatchObject({ webhooks: [{ id: first.id, types: null }, { id: second.id }] });
    expect(text).not.toContain(first.secret);
    const rows = await node.database.query('select * from webhooks');
    expect(JSON.stringify(rows)).not.toContain(first.secret.slice('whsec_'.length));
  });

  it('rotate with both secrets or immediately to the new one', async () => {
    const { id, secret } = await made('/rotated', { types: ['dead_letters.reported'] });
    const alert = { type: 'dead_letters.reported', tenantId: mine.tenantId, details: {} } as const;
    const signedWith = async (...secrets: readonly string[]): Promise<void> => {
      const message = (await happens(alert)).find(({ path }) => path === '/rotated');
      const signatures = secrets.map((one) =>
        new Webhook(one).sign(message?.headers['webhook-id'] ?? '', now(), message?.body ?? ''),
      );
      expect(message?.headers['webhook-signature']).toBe(signatures.join(' '));
    };
    await signedWith(secret);
    const later = textAt((await post(`/${id}/rotate`)).body, 'secret');
    expect(later).not.toBe(secret);
    await signedWith(later, secret);
    time += 24 * 3_600_000;
    await signedWith(later);
    const last = textAt((await post(`/${id}/rotate`, { graceHours: 0 })).body, 'secret');
    await signedWith(last);
    await post(`/${id}/remove`);
  });

  it('are tested, listed with results, resent and removed', async () => {
    const { id } = await made('/tried', { types: ['dead_letters.reported'] });
    receiver.answer(500);
    const { body } = await post(`/${id}/test`);
    const deliveryId = textAt(body, 'deliveryId');
    expect(paths(await deliver())).toEqual(['/tried']);
    const entry = { id: deliveryId, type: 'webhook.test', state: 'waiting', attempts: 1, result: '500' };
    expect((await listed(id)).body).toMatchObject({ deliveries: [entry], next: null });
    receiver.answer(200);
    expect((await post(`/${id}/deliveries/${deliveryId}/send`)).status).toBe(200);
    expect(paths(await deliver())).toEqual(['/tried']);
    expect((await listed(id)).body).toMatchObject({ deliveries: [{ state: 'delivered', result: '200' }] });
    for (let waiting = 0; waiting < 10; waiting += 1) await post(`/${id}/test`);
    const full = await post(`/${id}/test`);
    expect([full.status, full.headers['retry-after']]).toEqual([429, '60']);
    expect((await post(`/${id}/remove`)).status).toBe(200);
    expect(await deliver()).toEqual([]);
    expect((await listed(id)).status).toBe(404);
  });

  it.each([0, 24])('show a secret whose rotation was answered late, %s hours', async (graceHours) => {
    const { id, secret } = await made('/late', { types: ['dead_letters.reported'] });
    lose('update webhooks', 1);
    const { status, body } = await post(`/${id}/rotate`, { graceHours });
    expect(status).toBe(200);
    expect(textAt(body, 'secret')).not.toBe(secret);
    const [row] = await node.database.query(`select secret_version from webhooks where webhook_id = '${id}'`);
    expect(Number(row?.['secret_version'])).toBe(2);
    await post(`/${id}/remove`);
  });

  it('refuse a rotation that another one preceded', async () => {
    const { id } = await made('/both', { types: ['dead_letters.reported'] });
    beforeRotation = () =>
      node.database.query(`update webhooks set secret_version = 2, previous_until_ms = 1 where webhook_id = '${id}'`);
    const { status, body } = await post(`/${id}/rotate`);
    beforeRotation = () => Promise.resolve();
    expect([status, at(body, 'error')]).toEqual([409, 'WEBHOOK_ROTATED']);
    await post(`/${id}/remove`);
  });

  it.each([0, 24])('rotate once by a request that is sent again, %s hours', async (graceHours) => {
    const { id, secret } = await made('/once', { types: ['dead_letters.reported'] });
    const { body } = await ask(node, 'get', '/v1/webhooks', { key: mine.key });
    const webhooks = at(body, 'webhooks') as readonly { readonly id: string; readonly secretVersion: number }[];
    expect(webhooks.find((webhook) => webhook.id === id)).toMatchObject({ secretVersion: 1 });
    const first = await post(`/${id}/rotate`, { graceHours, secretVersion: 1 });
    expect([first.status, at(first.body, 'webhook', 'secretVersion')]).toEqual([200, 2]);
    expect(textAt(first.body, 'secret')).not.toBe(secret);
    const again = await post(`/${id}/rotate`, { graceHours, secretVersion: 1 });
    expect([again.status, at(again.body, 'error')]).toEqual([409, 'WEBHOOK_ROTATED']);
    await post(`/${id}/remove`);
  });

  it.each([
    ['when there is room', 1],
    ['as the last of five', 5],
  ])('are added once when the answer is lost, %s', async (_case, count) => {
    const account: Account = { tenantId: '', key: await node.newKey(randomUUID()) };
    for (let earlier = 1; earlier < count; earlier += 1) await made('/earlier', {}, account);
    lose('insert into webhooks', 1);
    const { id } = await made('/late', {}, account);
    const { body } = await ask(node, 'get', '/v1/webhooks', { key: account.key });
    expect(at(body, 'webhooks')).toHaveLength(count);
    expect(at(body, 'webhooks', count - 1, 'id')).toBe(id);
    const webhooks = at(body, 'webhooks') as readonly { readonly id: string }[];
    for (const one of webhooks) expect((await post(`/${one.id}/remove`, {}, account)).status).toBe(200);
  });

  it('are added once by a request that is sent again', async () => {
    const account: Account = { tenantId: '', key: await node.newKey(randomUUID()) };
    const id = `wh_${randomUUID()}`;
    expect((await made('/again', { id }, account)).id).toBe(id);
    time += 1;
    for (const sender of [account, mine]) {
      const { status, body } = await post('', { url: `${receiver.url}/again`, id }, sender);
      expect([status, at(body, 'details')]).toEqual([400, ['id: is that of a webhook']]);
    }
    const { body } = await ask(node, 'get', '/v1/webhooks', { key: account.key });
    expect(at(body, 'webhooks')).toHaveLength(1);
    await post(`/${id}/remove`, {}, account);
  });

  it('get one test message when the answer is lost', async () => {
    const { id } = await made('/late-test', { types: ['dead_letters.reported'] });
    for (let earlier = 1; earlier < 10; earlier += 1) await post(`/${id}/test`);
    lose('insert into alert_deliveries', 1);
    const last = await post(`/${id}/test`);
    expect(last.status).toBe(200);
    const deliveries = at((await listed(id)).body, 'deliveries') as readonly { readonly id: string }[];
    expect(deliveries).toHaveLength(10);
    expect(deliveries[0]?.id).toBe(textAt(last.body, 'deliveryId'));
    await post(`/${id}/remove`);
  });

  it('are removed when the answer is lost', async () => {
    const { id } = await made('/lost', { types: ['dead_letters.reported'] });
    lose('delete from webhooks', 1);
    expect((await post(`/${id}/remove`)).status).toBe(200);
    expect((await post(`/${id}/remove`)).status).toBe(404);
  });

  it('are never at a private address unless allowed', async () => {
    const { id } = await made('/private', { types: ['dead_letters.reported'] });
    await post(`/${id}/test`);
    expect(await deliver(false)).toEqual([]);
    expect((await listed(id)).body).toMatchObject({ deliveries: [{ state: 'waiting', result: 'INSECURE_URL' }] });
    await post(`/${id}/remove`);
  });

  it('are of one account only', async () => {
    const { id } = await made('/own', { types: ['dead_letters.reported'] });
    expect((await listed(id, other)).status).toBe(404);
    for (const act of ['rotate', 'remove', 'test', `deliveries/msg_${randomUUID()}/send`]) {
      expect([act, (await post(`/${id}/${act}`, {}, other)).status]).toEqual([act, 404]);
    }
    const audit = await ask(node, 'get', '/v1/webhooks', { key: await node.newKey(randomUUID(), ['audit']) });
    expect(audit.body).toEqual({ webhooks: [] });
    await post(`/${id}/remove`);
  });

  it.each<[string, object, RegExp]>([
    ['a file', { url: 'file:///etc/passwd' }, /^url: must be an https URL/],
    [
      'an address that no webhook has',
      { url: 'https://169.254.169.254/' },
      /^url: must not be a private or link-local address$/,
    ],
    ['credentials', { url: 'https://canary:secret@hooks.example.com/' }, /^url: must be an https URL/],
    ['an operator type', { url: 'https://hooks.example.com/', types: ['witness.silent'] }, /^types\[?\.?0/],
    ['an id of another form', { url: 'https://hooks.example.com/', id: 'mine' }, /^id: must be wh_ and a UUID$/],
    ['no type', { url: 'https://hooks.example.com/', types: [] }, /^types/],
  ])('are refused with %s, without the value', async (_case, body, rule) => {
    const answer = await post('', body);
    expect(answer.status).toBe(400);
    expect(at(answer.body, 'details')).toEqual([expect.stringMatching(rule)]);
    expect(answer.text).not.toMatch(/canary|passwd/);
  });

  it('are at most five and show readers only their origin', async () => {
    const account = { ...other, key: await node.newKey('many'), tenantId: '' };
    for (let count = 0; count < 5; count += 1) await made(`/secret-path-${count}`, {}, account);
    expect((await post('', { url: receiver.url }, account)).status).toBe(400);
    const whole = await ask(node, 'get', '/v1/webhooks', { key: account.key });
    expect(whole.text).toContain('secret-path-4');
    const shown = await ask(node, 'get', '/v1/webhooks', { key: await node.newKey('many', ['audit']) });
    expect(shown.body).toMatchObject({ webhooks: Array.from({ length: 5 }, () => ({ url: receiver.url })) });
    expect(shown.text).not.toContain('secret-path');
  });

  it('need https unless the operator permits more', async () => {
    const strict = await startTestNode();
    const off = await startTestNode({ replace: () => ({ tenantWebhooks: null }) });
    const body = { url: 'http://hooks.example.com/' };
    const refused = await ask(strict, 'post', '/v1/webhooks', { key: await strict.newKey(), body });
    expect([refused.status, at(refused.body, 'details')]).toEqual([400, ['url: must be an https URL']]);
    for (const host of ['127.0.0.1', '0x7f.1', '10.1.2.3', '[::1]', '[::ffff:192.168.1.1]', '169.254.169.254']) {
      const own = { key: await strict.newKey(), body: { url: `https://${host}/` } };
      const { body: answer } = await ask(strict, 'post', '/v1/webhooks', own);
      expect([host, at(answer, 'details')]).toEqual([host, ['url: must not be a private or link-local address']]);
    }
    for (const host of ['hooks.example.com', '93.184.216.34', '[2606:2800:220:1::]']) {
      const own = { key: await strict.newKey(), body: { url: `https://${host}/` } };
      expect([host, (await ask(strict, 'post', '/v1/webhooks', own)).status]).toEqual([host, 200]);
    }
    const none = await ask(off, 'get', '/v1/webhooks', { key: await off.newKey() });
    expect([none.status, textAt(none.body, 'reasonCode')]).toEqual([404, 'WEBHOOKS_OFF']);
    await strict.close();
    await off.close();
  });
});
