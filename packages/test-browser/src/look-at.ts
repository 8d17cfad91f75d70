import { mkdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect } from '@jest/globals';
import type { Page } from 'puppeteer';
import { brokenRules } from './broken-rules.js';

/** A folder to look at pictures in, when somebody wants to: each test file has a folder of its own in it. */
const PICTURES = process.env['CER_PICTURES'];
const ROOT = join(__dirname, '..', '..', '..');
const DESKTOP = { width: 1100, height: 900 };
const PHONE = { width: 360, height: 740 };

// Without motion: axe would measure colours that are still on their way from one look to the next.
const STILL = { name: 'prefers-reduced-motion', value: 'reduce' };
const LOOKS = [
  { look: 'light', viewport: DESKTOP, features: [] },
  { look: 'dark', viewport: DESKTOP, features: [STILL, { name: 'prefers-color-scheme', value: 'dark' }] },
  { look: 'phone', viewport: PHONE, features: [STILL] },
];

/**
 * Holds the page that is open to WCAG 2.2 AA and to its own width in light, in dark and on a phone, and takes its
 * picture in all three when somebody wants to look. A page without scripts is looked at as it stands without them.
 * @param name names the pictures and the page in a failure
 */
export async function lookAt(page: Page, name: string): Promise<void> {
  await inEveryLook(page, async (look) => {
    await takePicture(page, `${name}-${look}`);
    const tooWide: unknown = await page.evaluate('document.documentElement.scrollWidth > window.innerWidth');
    const broken = await brokenRules(page);
    expect({ name, look, tooWide, broken }).toEqual({ name, look, tooWide: false, broken: [] });
  });
}

/** Only the pictures of `lookAt`. */
export async function takePictures(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  await inEveryLook(page, (look) => takePicture(page, `${name}-${look}`));
}

async function inEveryLook(page: Page, act: (look: string) => Promise<void>): Promise<void> {
  for (const { look, viewport, features } of LOOKS) {
    await page.emulateMediaFeatures(features);
    await page.setViewport(viewport);
    await act(look);
  }
  await page.emulateMediaFeatures([]);
  await page.setViewport(DESKTOP);
}

async function takePicture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  const testFile = relative(ROOT, expect.getState().testPath ?? '').replace(/\.test\.tsx?$/, '');
  const folder = join(PICTURES, testFile);
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}
