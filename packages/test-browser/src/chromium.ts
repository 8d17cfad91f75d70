import { accessSync, constants } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import puppeteer, { type Browser, type BrowserContext, type Page } from 'puppeteer';

const SYSTEM_PATHS = ['/usr/lib/chromium/chromium-headless-shell', '/usr/lib/chromium/chromium', '/usr/bin/chromium'];
/** For the browser's start and for what a test waits for on a page: a crowded machine takes its time. */
const PATIENCE_MS = 150_000;
const LOOKED_AT = `CHROMIUM_PATH, ${SYSTEM_PATHS.join(', ')}`;

/** The path of the first Chromium that is installed here, `CHROMIUM_PATH` before all others; null where none is. */
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
 * A real Chromium with a profile of its own, which goes when it is closed.
 * @throws Error where none is installed
 */
export async function launchChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error(`no Chromium: looked at ${LOOKED_AT}`);
  // The pages are our own, and a sandbox needs a user who may make one.
  return puppeteer.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'], timeout: PATIENCE_MS });
}

/** A new page, on which every wait has the time that a crowded machine takes. */
export async function newPage(of: Browser | BrowserContext): Promise<Page> {
  const page = await of.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  return page;
}

/** A suite that drives a real Chromium; where none is installed, one line says that it was not run. */
export function describeInChromium(name: string, suite: () => void): void {
  if (findChromium() !== null) {
    describe(name, suite);
    return;
  }
  describe(name, () => {
    it(`is not run: no Chromium at ${LOOKED_AT}`, () => {
      process.stderr.write(`not run: ${name}: no Chromium at ${LOOKED_AT}\n`);
      expect(findChromium()).toBeNull();
    });
  });
}
