import { accessSync, constants } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import puppeteer, { type Browser, type BrowserContext, type Page } from 'puppeteer';

const SYSTEM_PATHS = ['/usr/lib/chromium/chromium-headless-shell', '/usr/lib/chromium/chromium', '/usr/bin/chromium'];
/** Timeout of the browser's start and of waits on a page, generous for a loaded machine. */
const PATIENCE_MS = 150_000;
const SEARCHED_PATHS = `CHROMIUM_PATH, ${SYSTEM_PATHS.join(', ')}`;

/** The path of the first installed Chromium, `CHROMIUM_PATH` first; null if there is none. */
export function findChromium(): string | null {
  return [process.env['CHROMIUM_PATH'] ?? '', ...SYSTEM_PATHS].find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Starts a real Chromium with a temporary profile, which is removed on close.
 * @throws Error if none is installed
 */
export async function launchChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error(`no Chromium found: searched ${SEARCHED_PATHS}`);
  // The pages are trusted, and not every test user may create a sandbox.
  return puppeteer.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'], timeout: PATIENCE_MS });
}

/** Without motion axe measures no colours in the middle of a transition, and clicks meet what they were aimed at. */
export const REDUCED_MOTION = { name: 'prefers-reduced-motion', value: 'reduce' };

/** Opens a page without motion, with a default timeout for loaded machines. */
export async function newPage(of: Browser | BrowserContext): Promise<Page> {
  const page = await of.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  await page.emulateMediaFeatures([REDUCED_MOTION]);
  return page;
}

/** A suite that drives a real Chromium; without one, a single test reports that it was not run. */
export function describeInChromium(name: string, suite: () => void): void {
  if (findChromium() !== null) {
    describe(name, suite);
    return;
  }
  describe(name, () => {
    it(`is not run: no Chromium at ${SEARCHED_PATHS}`, () => {
      process.stderr.write(`not run: ${name}: no Chromium at ${SEARCHED_PATHS}\n`);
      expect(findChromium()).toBeNull();
    });
  });
}
