import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import request from 'supertest';
import { startDashboardBesideNode } from '../dashboard-beside-node.js';
import { TestBrowser } from '../test-browser.js';
import type { TestDashboard } from '../test-dashboard.js';

// Exports of a node that sends the first part of a package, and the rest when the test says so.

let dashboard: TestDashboard;
let browser: TestBrowser;
/** The package that the node is sending. */
let sending: Promise<ServerResponse>;
let send: (answer: ServerResponse) => void;

beforeAll(async () => {
  dashboard = await startDashboardBesideNode(({ url }, answer) => {
    if (url?.startsWith('/v1/records/count') === true) return answer.end('{"count":2,"isExact":true}');
    answer.writeHead(200, { 'content-type': 'application/zip' }).write('first ');
    send(answer);
    return answer;
  });
  browser = new TestBrowser(dashboard.app);
  await browser.signIn();
});
beforeEach(() => {
  sending = new Promise((resolve) => (send = resolve));
});
afterAll(() => dashboard.close());

/** @returns the addresses of an announced export, and of its progress */
async function announced(): Promise<{ readonly download: string; readonly progress: string }> {
  const { text } = await browser.get('/records/exports');
  const download = /href="(\/records\/export\?[^"]+)"/
    .exec(text)?.[1]
    ?.replaceAll('&#38;', '&')
    .replaceAll('&amp;', '&');
  const progress = /href="(\/records\/exports\/[^"]+)"/.exec(text)?.[1];
  if (download === undefined || progress === undefined) throw new Error('the page has no links');
  return { download, progress };
}

const cookies = (): string => [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');

it('asked for by HEAD ends at the node and is not recorded', async () => {
  const { download, progress } = await announced();
  const head = request(dashboard.app).head(download).set({ Cookie: cookies(), Accept: 'text/html' });
  const [{ status, headers }, answer] = await Promise.all([head, sending]);
  expect([status, headers['content-type']]).toEqual([200, 'application/zip']);
  if (!answer.closed) await once(answer, 'close');
  expect(answer.writableFinished).toBe(false);
  expect((await browser.get(progress)).text).toContain('The download has not begun.');
  expect(await dashboard.everythingInDatabase()).not.toContain('records exported');
});

it('sent in full is recorded', async () => {
  const { download, progress } = await announced();
  const asked = browser.get(download);
  (await sending).end('last');
  expect((await asked).status).toBe(200);
  expect((await browser.get(progress)).text).toContain('Done: 0.0 MB were sent');
  expect(await dashboard.everythingInDatabase()).toContain('records exported');
});
