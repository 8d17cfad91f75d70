import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import {
  describeInChromium,
  launchChromium,
  auditPage,
  newPage,
  takeScreenshots,
  watchPage,
  type Browser,
  type Page,
  type PageWatch,
} from '@cer/test-browser';

import { startNode } from '../../src/start/start-node.js';
import { ask, objectAt } from '../ask.js';

/** All axe rules on a long page, three times, on loaded machines. */
jest.setTimeout(120_000);

describeInChromium('/docs of a running node', () => {
  let folder: string;
  let node: Awaited<ReturnType<typeof startNode>>;
  let browser: Browser;
  let page: Page;
  let watch: PageWatch;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cer-docs-'));
    node = await startNode({
      PORT: '0',
      DATABASE_URL: `sqlite:${join(folder, 'node.sqlite')}`,
      KEYS_FILE: join(folder, 'keys.json'),
      COMMITMENT_SECRET_FILE: join(folder, 'secrets.json'),
      LOG_LEVEL: 'silent',
    });
    browser = await launchChromium();
    page = await newPage(browser);
    watch = watchPage(page);
    await page.goto(`${node.url}/docs`);
  });

  afterAll(async () => {
    await browser.close();
    await node.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Presses Tab until the focused element matches, and returns the number of presses. */
  async function tabTo(selector: string): Promise<number> {
    for (let presses = 1; presses <= 40; presses += 1) {
      await page.keyboard.press('Tab');
      if ((await page.$(`${selector}:focus-visible`)) !== null) return presses;
    }
    throw new Error(`Tab does not reach ${selector}`);
  }

  it('shows every route with parameters and statuses', async () => {
    const paths = objectAt((await ask(node, 'get', '/openapi.json')).body, 'paths');
    const described = Object.keys(paths).flatMap((path) =>
      Object.keys(objectAt(paths, path)).map((method) => {
        const { operationId, parameters = [], responses } = objectAt(paths, path, method);
        const named = (parameters as readonly { readonly name: string }[]).map(({ name }) => name);
        const cells = [...named, ...Object.keys(objectAt(responses))];
        return { id: operationId, title: `${method.toUpperCase()} ${path}`, cells };
      }),
    );
    const shown = await page.$$eval('main article[id]', (articles) =>
      articles.map((article) => ({
        id: article.id,
        title: article.querySelector('h3')?.innerText,
        cells: Array.from(article.querySelectorAll<HTMLElement>('td:first-child'), (cell) => cell.innerText),
      })),
    );
    const byId = (a: { readonly id: unknown }, b: { readonly id: unknown }): number =>
      String(a.id).localeCompare(String(b.id));
    expect(shown.length).toBeGreaterThan(20);
    expect(shown.toSorted(byId)).toEqual(described.toSorted(byId));
  });

  it('says in words what a parameter may be', async () => {
    const limits = await page.$$eval('td small', (notes) => notes.map((note) => note.innerText));
    expect(limits).toEqual(
      expect.arrayContaining([
        '(visible or hidden)',
        '(Hash)',
        '(not empty, at most 256 characters)',
        '(integer, at least 1, at most 1000, by default 100)',
        '(matches ^\\d{4}-\\d\\d-\\d\\d$)',
      ]),
    );
    expect(limits.filter((note) => note.includes('{"'))).toEqual([]);
  });

  it('has a target for each of its links', async () => {
    const targets = await page.$$eval('a[href^="#"]', (links) => links.map((link) => link.hash.slice(1)));
    const ids = new Set(await page.$$eval('[id]', (elements) => elements.map(({ id }) => id)));
    expect(targets.filter((target) => !ids.has(target))).toEqual([]);
    expect(targets.length).toBeGreaterThan(20);
  });

  it('is navigable by keyboard', async () => {
    await tabTo('nav li:nth-child(2) a');
    const group = await page.$eval(':focus', (link) => link.getAttribute('href') ?? '');
    await page.keyboard.press('Enter');
    // The browser follows the link some time after the key.
    await page.waitForFunction((hash) => location.hash === hash, {}, group);
    expect(await page.$eval(group, (heading) => Math.round(heading.getBoundingClientRect().top))).toBeLessThan(10);
    expect(await tabTo('summary')).toBeLessThan(10);
    const isIn = (id: string): Promise<boolean> =>
      page.$eval(':focus', (element, wanted) => element.closest('section')?.querySelector(wanted) !== null, id);
    expect(await isIn(group)).toBe(true);
    expect(await page.$eval(':focus', (summary) => getComputedStyle(summary).outlineStyle)).not.toBe('none');
    await page.keyboard.press('Enter');
    expect(await page.$eval(':focus', (summary) => summary.closest('details')?.open)).toBe(true);
    expect(await page.$eval('details[open] pre', (schema) => schema.checkVisibility())).toBe(true);
    await page.keyboard.press('Enter');
    expect(await page.$('details[open]')).toBeNull();
  });

  it('is accessible with every body open', async () => {
    await page.reload();
    await takeScreenshots(page, 'docs');
    await page.$$eval('details', (all) => {
      for (const details of all) details.open = true;
    });
    await auditPage(page, 'docs-open');
  });

  it('needs no sideways scrolling on a phone', async () => {
    await page.setViewport({ width: 360, height: 740 });
    const wide = await page.$$eval('pre, code, td', (parts) =>
      parts
        .filter((part) => part.scrollWidth > part.clientWidth + 1 && part.clientWidth > 0)
        .map((part) => part.outerHTML),
    );
    expect(wide).toEqual([]);
    const names = await page.$$eval('td code', (codes) =>
      codes
        .filter((code) => /^(?:[A-Z_]+|[a-z]+\/[a-z+-]+)$/.test(code.innerText))
        .map((code) => {
          const range = document.createRange();
          range.selectNodeContents(code);
          const lines = new Set(Array.from(range.getClientRects(), ({ top }) => Math.round(top))).size;
          return { name: code.innerText, lines };
        }),
    );
    expect(names.length).toBeGreaterThan(100);
    // Some codes are longer than a line.
    expect(names.filter(({ name, lines }) => lines > (name.length > 28 ? 2 : 1))).toEqual([]);
  });

  it('makes no other requests and violates no policy', async () => {
    expect([...new Set(watch.requests.map((url) => url.replace(/#.*/, '')))]).toEqual([`${node.url}/docs`]);
    expect(await page.evaluate('document.scripts.length')).toBe(0);
    expect(watch.complaints).toEqual([]);
  });
});
