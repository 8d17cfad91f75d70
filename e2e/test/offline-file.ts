import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { launchChromium, newPage, watchPage, type Page } from '@cer/test-browser';
import { root } from './npm-start.js';

export interface OfflineFiles {
  readonly artefact: string;
  readonly keys: string;
  readonly policy: string;
  readonly tsaRoots: string;
}

export interface OfflineReport {
  readonly verdict: string | null;
  readonly transparency: string | null;
  /** The text of the facts: receipt, timestamp, log and witnesses. */
  readonly facts: string;
  /** Addresses that the page asked for, and what the browser complained of. */
  readonly requests: readonly string[];
  readonly complaints: readonly string[];
}

export const OFFLINE_FILE = pathToFileURL(join(root, 'apps/verifier/dist/web/offline.html')).href;

/** Hands files to the verifier's offline file, opened from the disk in a Chromium whose network is off. */
export async function reportOffline(files: OfflineFiles): Promise<OfflineReport> {
  const browser = await launchChromium();
  try {
    const page = await newPage(browser);
    const watch = watchPage(page);
    await page.setOfflineMode(true);
    await page.goto(OFFLINE_FILE);
    await upload(page, '#artefact-file', files.artefact);
    // Its result scrolls the page: a click before that could miss.
    await page.waitForSelector('.result');
    await upload(page, '#key-set-file', files.keys);
    await page.waitForSelector('#confirm-keys');
    await page.click('#confirm-keys');
    await page.waitForSelector('.result [data-transparency="not-checked"]');
    await upload(page, '#tsa-roots-file', files.tsaRoots);
    await page.waitForSelector('.result [data-external-time="verified"]');
    await upload(page, '#log-policy-file', files.policy);
    await page.waitForSelector('.result [data-transparency]:not([data-transparency="not-checked"])');
    return {
      verdict: await attribute(page, '.result [data-verdict]', 'data-verdict'),
      transparency: await attribute(page, '.result [data-transparency]', 'data-transparency'),
      facts: await page.$eval('.result .facts', (node) => node.textContent),
      ...{ requests: watch.requests, complaints: watch.complaints },
    };
  } finally {
    await browser.close();
  }
}

async function upload(page: Page, selector: string, path: string): Promise<void> {
  const element = await page.waitForSelector(selector);
  const input = await element?.toElement('input');
  await input?.uploadFile(path);
}

function attribute(page: Page, selector: string, name: string): Promise<string | null> {
  return page.$eval(selector, (node, wanted) => node.getAttribute(wanted), name);
}
