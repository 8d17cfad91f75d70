import { mkdtempSync, rmSync } from 'node:fs';
import { request as forward, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { serve, silentLogger } from '@cer/http-service/process';
import { launchChromium, newPage, type Browser, type Page } from '@cer/test-browser';

import { startNode } from '../src/start/start-node.js';
import { startDashboardProcess, type Dashboard } from './dashboard-process.js';

export const ADMIN_SECRET = 'secret of the test administrator';
const PASSWORD = 'correct horse battery staple';

/** A node and a dashboard, the owner of its account signed in in a browser. */
export interface DashboardAndNode {
  readonly folder: string;
  readonly node: Awaited<ReturnType<typeof startNode>>;
  readonly dashboard: Dashboard;
  /** Where the browser reads the dashboard. */
  readonly url: string;
  readonly browser: Browser;
  readonly page: Page;
  /** Ends the node and starts it on the same database. @param more of its environment */
  readonly restartNode: (more: Readonly<Record<string, string>>) => Promise<void>;
  /** A proxy between dashboard and node; null: none. */
  readonly interpose: (listener: RequestListener | null) => void;
  readonly open: (path: string) => Promise<unknown>;
  /** Clicks, and waits for the next page. */
  readonly press: (selector: string, at?: Page) => Promise<unknown>;
  readonly text: (selector?: string) => Promise<string>;
  /** Asks the dashboard as the signed-in owner. */
  readonly download: (path: string) => Promise<Response>;
  /** A further person of the account, signed in. */
  readonly signIn: (email: string, role: 'member' | 'reviewer' | 'auditor') => Promise<Page>;
  readonly close: () => Promise<void>;
}

/** Passes requests on to a server that is known later. */
export function passTo(urlOf: () => string): RequestListener {
  return (asked, answer) => {
    const { method, headers } = asked;
    const passed = forward(urlOf() + (asked.url ?? ''), { method, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers);
      got.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    // When a client disconnects, the server's connection ends too.
    answer.on('close', () => passed.destroy());
    asked.pipe(passed);
  };
}

/** The header by which the server knows the person that is signed in in a page. */
export async function cookieOf(page: Page): Promise<string> {
  const cookies = await page.browserContext().cookies();
  return cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
}

/**
 * @param more of the node's environment
 * @param moreOfDashboard of the dashboard's environment, made from the address where browsers read it
 */
export async function startDashboardAndNode(
  more: Readonly<Record<string, string>> = {},
  moreOfDashboard: (url: string) => Promise<Readonly<Record<string, string>>> = () => Promise.resolve({}),
): Promise<DashboardAndNode> {
  const folder = mkdtempSync(join(tmpdir(), 'cer-records-'));
  const addresses = { node: '', dashboard: '' };
  const passToNode = passTo(() => addresses.node);
  let behaviour = passToNode;
  const onLocalhost = { host: '127.0.0.1', port: 0, logger: silentLogger() };
  const nodeFront = await serve((asked, answer) => {
    behaviour(asked, answer);
  }, onLocalhost);
  const front = await serve(
    passTo(() => addresses.dashboard),
    onLocalhost,
  );
  const dashboard = await startDashboardProcess({
    NODE_URL: nodeFront.url,
    PUBLIC_URL: front.url,
    ...(await moreOfDashboard(front.url)),
  });
  addresses.dashboard = dashboard.url;
  const environment = {
    ...dashboard.env,
    PORT: '0',
    DATABASE_URL: `sqlite:${join(folder, 'node.sqlite')}`,
    KEYS_FILE: join(folder, 'keys.json'),
    COMMITMENT_SECRET_FILE: join(folder, 'secrets.json'),
    LOG_LEVEL: 'silent',
    ADMIN_SECRET,
    ...more,
  };
  let node = await startNode(environment);
  addresses.node = node.url;
  const browser = await launchChromium();
  const press = (selector: string, at: Page = page): Promise<unknown> =>
    Promise.all([at.waitForNavigation(), at.click(selector)]);
  const redeem = async (link: string, at: Page): Promise<void> => {
    await at.goto(`${front.url}${/\/link\/[\w-]{43}/.exec(link)?.[0] ?? ''}`);
    await at.type('#password', PASSWORD);
    await press('main form button', at);
  };
  const page = await newPage(browser);
  await redeem(await dashboard.command('owner', 'create', '--tenant', 'Acme', '--email', 'owner@example.org'), page);
  return {
    folder,
    get node() {
      return node;
    },
    restartNode: async (changed) => {
      await node.close();
      node = await startNode({ ...environment, ...changed });
      addresses.node = node.url;
    },
    dashboard,
    url: front.url,
    browser,
    page,
    interpose: (listener) => {
      behaviour = listener ?? passToNode;
    },
    open: (path) => page.goto(front.url + path),
    press,
    text: (selector = 'main') => page.$eval(selector, (element) => element.textContent),
    download: async (path) => fetch(front.url + path, { headers: { cookie: await cookieOf(page) } }),
    signIn: async (email, role) => {
      await page.goto(`${front.url}/users`);
      await page.type('#name', email.split('@')[0] ?? '');
      await page.type('#email', email);
      await page.click(`#role-${role}`);
      await press('main section form button');
      const link = await page.$eval('main', (element) => element.textContent);
      const other = await newPage(await browser.createBrowserContext());
      await redeem(link, other);
      return other;
    },
    close: async () => {
      await browser.close();
      await node.close();
      await dashboard.stop();
      await nodeFront.close();
      await front.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
