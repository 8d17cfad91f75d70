import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { auditPage, describeInChromium, type Page } from '@cer/test-browser';
import { Webhook } from 'standardwebhooks';

import { startReceiver, type ReceivedMessage, type Receiver } from './alerts/receiver.js';
import { startDashboardAndNode, type DashboardAndNode } from './dashboard-and-node.js';

/** Pages are checked three times by all of axe's rules, possibly on a busy machine. */
jest.setTimeout(300_000);

describeInChromium('alerts in the dashboard', () => {
  let whole: DashboardAndNode;
  let receiver: Receiver;
  let page: Page;
  let secret = '';
  let path = '';

  beforeAll(async () => {
    receiver = await startReceiver();
    whole = await startDashboardAndNode({ TENANT_WEBHOOKS_ALLOW_PRIVATE: '1' });
    page = whole.page;
  });
  afterAll(async () => {
    await whole.close();
    await receiver.close();
  });

  const address = (): string => `${receiver.url}/hook?token=of-the-receiver`;
  const signedBy = (one: string, { headers, body }: ReceivedMessage): string =>
    new Webhook(one).sign(headers['webhook-id'] ?? '', new Date(Number(headers['webhook-timestamp']) * 1000), body);
  /** Loads the page until it shows the text. */
  const shows = async (text: string): Promise<void> => {
    while (!(await whole.text()).includes(text)) {
      await sleep(100);
      await page.reload();
    }
  };

  it('start with a webhook whose secret is shown once', async () => {
    await whole.open('/alerts');
    expect(await whole.text()).toContain('No webhooks yet');
    await auditPage(page, 'alerts-none');
    await page.type('#url', 'hooks.example.com');
    await whole.press('main form button');
    expect(await whole.text('[role=alert]')).toContain('Address must be a whole https address.');
    await auditPage(page, 'alerts-refused');
    await page.$eval('#url', (field) => {
      field.setAttribute('value', '');
    });
    await page.locator('#url').fill(address());
    await whole.press('main form button');
    secret = await whole.text('.once');
    expect(secret).toMatch(/^whsec_/);
    await auditPage(page, 'alerts-secret');
    await whole.press('main .acts a');
    path = new URL(page.url()).pathname;
    expect(await whole.text()).toContain('Nothing was sent yet.');
    expect(await whole.text()).not.toContain(secret);
  });

  it('send a signed test message and list its result', async () => {
    const arrives = receiver.next();
    await whole.press(`form[action="${path}/test"] button`);
    expect(await whole.text('[role=status]')).toContain('A test message is on its way.');
    const message = await arrives;
    expect(message.headers['webhook-signature']).toBe(signedBy(secret, message));
    expect(JSON.parse(message.body)).toMatchObject({ type: 'webhook.test' });
    await whole.open(path);
    await shows('Answered 200.');
    await auditPage(page, 'alerts-messages');
  });

  it('are resent by a button, signed with both secrets after rotation', async () => {
    await whole.press(`form[action="${path}/rotate"] button`);
    const later = await whole.text('.once');
    expect(later).not.toBe(secret);
    expect(await whole.text()).toContain('signed with the secret before it as well until');
    await whole.press('main .acts a');
    const arrives = receiver.next();
    await whole.press('form[action$="/send"] button');
    const message = await arrives;
    expect(message.headers['webhook-signature']).toBe([later, secret].map((one) => signedBy(one, message)).join(' '));
    expect(message.headers['webhook-id']).toBe(receiver.received[0]?.headers['webhook-id']);
  });

  it('are shown to auditors without the address path and forms', async () => {
    const auditor = await whole.signIn('audit@example.org', 'auditor');
    for (const shown of ['/alerts', path]) {
      await auditor.goto(whole.url + shown);
      expect(await auditor.$eval('main', (main) => main.textContent)).toContain(new URL(address()).host);
      expect(await auditor.$eval('body', (body) => body.innerHTML)).not.toContain('of-the-receiver');
      expect(await auditor.$('main form')).toBeNull();
    }
    await auditPage(auditor, 'alerts-auditor');
    await whole.open('/activity');
    expect(await whole.text()).toContain('webhook added');
    expect(await whole.text()).not.toContain('of-the-receiver');
  });

  it('report a node that is away, is older or sends none', async () => {
    whole.interpose((_asked, answer) => answer.destroy());
    expect((await page.goto(`${whole.url}/alerts`))?.status()).toBe(503);
    expect(await whole.text('[role=alert]')).toContain('The attestation node cannot be reached.');
    await auditPage(page, 'alerts-node-away');
    whole.interpose((_asked, answer) => {
      answer.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"NOT_FOUND"}');
    });
    await whole.open('/alerts');
    expect(await whole.text('[role=alert]')).toContain('older release');
    whole.interpose(null);
    expect((await page.goto(`${whole.url}/alerts/wh_unknown`))?.status()).toBe(404);
    await whole.open(path);
    await whole.press('button.danger');
    expect(await whole.text('[role=status]')).toContain('The webhook is removed.');
    await whole.restartNode({ TENANT_WEBHOOKS: '0' });
    await whole.open('/alerts');
    expect(await whole.text('[role=alert]')).toContain('its operator has switched them off');
  });
});
