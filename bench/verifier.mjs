// The public verifier as seen by a visitor: time from the click to the browser's verdict, in a real Chromium, with the
// built node and the built site.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import puppeteer from 'puppeteer';
import { ensureBrowser } from '../scripts/browser.mjs';
import { caseOf, median, ratio } from './measure.mjs';

const root = `${import.meta.dirname}/..`;
const MAIN = (app) => `${root}/apps/${app}/dist/main.js`;
const VERDICT = '[data-checked-by="browser"][data-verdict="VERIFIED"][data-tone="good"]';
/** Records the time of the verdict inside the page, so that no round trip to this process is counted. */
const WATCH = `new MutationObserver((_, observer) => {
  if (document.querySelector('${VERDICT}') === null) return;
  observer.disconnect();
  globalThis.verdictAfterMs = performance.now();
}).observe(document, { subtree: true, childList: true, attributes: true });`;

async function start(app, env) {
  const child = spawn(process.execPath, [MAIN(app)], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout })) {
    const { msg, url } = JSON.parse(line);
    if (msg !== 'listening') continue;
    child.stdout.resume();
    return { child, url };
  }
  throw new Error(`${app} ended before it listened`);
}

async function certify(url, apiKey) {
  const response = await fetch(`${url}/v1/cer/ai/certify`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ provider: 'example', model: 'example-1', input: 'A question', output: 'An answer' }),
  });
  if (!response.ok) throw new Error(`certify: ${response.status}`);
  return (await response.json()).certificateHash;
}

/** Milliseconds from the start of the navigation to the browser's positive verdict. */
async function visit(page, address) {
  await page.goto(address);
  await page.waitForFunction('globalThis.verdictAfterMs !== undefined');
  return page.evaluate('verdictAfterMs');
}

async function newPage(browser) {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  await page.evaluateOnNewDocument(WATCH);
  return page;
}

/**
 * @param {{visits: number}} options odd number of visits of each kind
 * @returns {Promise<{cases: object[], ratios: object[]}>} no cases where no browser can be installed, which is printed with its reason
 */
export async function verifierCases({ visits }) {
  const { path } = await ensureBrowser();
  if (path === undefined) return { cases: [], ratios: [] };
  const folder = mkdtempSync(join(tmpdir(), 'cer-bench-'));
  const env = {
    PATH: process.env.PATH,
    PORT: '0',
    LOG_LEVEL: 'info',
    DATABASE_URL: `sqlite:${folder}/node.sqlite`,
    KEYS_FILE: `${folder}/keys.json`,
    COMMITMENT_SECRET_FILE: `${folder}/secrets.json`,
  };
  const command = (...args) =>
    execFileSync(process.execPath, [MAIN('node'), ...args], { env, encoding: 'utf8' }).trim();
  command('init');
  command('migrate');
  const apiKey = command('api-key', 'create', '--tenant', 'bench');
  const running = [];
  let browser;
  const times = { first: [], again: [] };
  try {
    const node = await start('node', env);
    running.push(node.child);
    const verifier = await start('verifier', { PATH: process.env.PATH, PORT: '0', NODE_URL: node.url });
    running.push(verifier.child);
    const address = `${verifier.url}/c/${encodeURIComponent(await certify(node.url, apiKey))}`;
    browser = await puppeteer.launch({
      executablePath: path,
      headless: true,
      args: ['--disable-gpu', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
    });
    await visit(await newPage(browser), address);
    for (let count = 0; count < visits; count += 1) {
      const page = await newPage(browser);
      times.first.push(await visit(page, address));
      times.again.push(await visit(page, address));
      await page.browserContext().close();
    }
  } finally {
    await browser?.close();
    for (const child of running) {
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
    }
    rmSync(folder, { recursive: true });
  }
  return {
    cases: [
      caseOf('certificate page to the verdict of the browser, first visit', 'ms', times.first),
      caseOf('certificate page to the verdict of the browser, visited again', 'ms', times.again),
    ],
    ratios: [ratio('V1', 'first visit to a verdict / one second', median(times.first) / 1000, 1, { atMost: true })],
  };
}
