import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { executionRequest } from '@cer/cer-core/testing';
import { auditPage, describeInChromium, type Page } from '@cer/test-browser';

import { ask, textAt } from './ask.js';
import { passTo, startDashboardAndNode, type DashboardAndNode } from './dashboard-and-node.js';

/** Pages are checked three times by all of axe's rules, possibly on a busy machine. */
jest.setTimeout(300_000);

const LOG = { LOG_ORIGIN: 'node.example/log', LOG_EPOCH_S: '3600' };
const AN_HOUR_MS = '3600000';

describeInChromium("the transparency log on a certificate's page", () => {
  let whole: DashboardAndNode;
  let page: Page;
  let key: string;
  let certificateHash: string;
  let other: string;

  const certify = async (): Promise<string> => {
    const body = executionRequest({ executionId: randomUUID() });
    return textAt((await ask(whole.node, 'post', '/v1/cer/ai/certify', { key, body })).body, 'certificateHash');
  };
  const shown = async (): Promise<string> => {
    await whole.open(`/records/certificate/${certificateHash}`);
    return (await whole.text('section[aria-labelledby=log]')).replaceAll(/\s+/g, ' ');
  };
  /** Until the node has the proof. */
  const logged = async (hash: string): Promise<void> => {
    const path = `/v1/log/proof?certificate_hash=${hash}`;
    while ((await ask(whole.node, 'get', path, { key })).status !== 200) await sleep(50);
  };

  beforeAll(async () => {
    whole = await startDashboardAndNode({ ...LOG, LOG_EVERY_MS: AN_HOUR_MS });
    ({ page } = whole);
    key = await whole.dashboard.newKey();
    [other, certificateHash] = [await certify(), await certify()];
  });
  afterAll(() => whole.close());

  it('waits for its next checkpoint', async () => {
    expect(await shown()).toContain('The receipt waits for the next checkpoint of the transparency log.');
    await auditPage(page, 'log-waiting');
  });

  it('has the receipt, in its place', async () => {
    await whole.restartNode({ LOG_EVERY_MS: '5' });
    await logged(certificateHash);
    await logged(other);
    const text = await shown();
    const [, place, index] =
      /Entry (\d+) of \d+ \(index (\d+)\) in the log node\.example\/log\. It was not yet in the checkpoint of \d+ entries\./.exec(
        text,
      ) ?? [];
    expect(Number(place)).toBe(Number(index) + 1);
    expect(text).toContain('No witness has signed this checkpoint.');
    await auditPage(page, 'log-included');
  });

  it('is named when its proof is of another receipt', async () => {
    const passed = passTo(() => whole.node.url);
    whole.interpose((asked, answer) => {
      if (asked.url?.startsWith('/v1/log/proof') === true) asked.url = `/v1/log/proof?certificate_hash=${other}`;
      passed(asked, answer);
    });
    expect(await shown()).toContain('a proof that does not lead from this receipt to the root it names.');
    await auditPage(page, 'log-broken');
    whole.interpose(null);
    expect(await shown()).toContain('in the log node.example/log');
  });
});
