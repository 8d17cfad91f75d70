import { mkdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect } from '@jest/globals';
import type { Page } from 'puppeteer';
import { brokenRules } from './broken-rules.js';
import { REDUCED_MOTION } from './chromium.js';

/** Screenshot folder (`CER_PICTURES`), one subfolder per test file; unset: no screenshots. */
const SCREENSHOTS = process.env['CER_PICTURES'];
const ROOT = join(__dirname, '..', '..', '..');
const DESKTOP = { width: 1100, height: 900 };
const PHONE = { width: 360, height: 740 };
/** Chromium takes no picture that is higher, in pixels. */
const HIGHEST = 16_000;

const APPEARANCES = [
  { appearance: 'light', viewport: DESKTOP, features: [] },
  {
    appearance: 'dark',
    viewport: DESKTOP,
    features: [REDUCED_MOTION, { name: 'prefers-color-scheme', value: 'dark' }],
  },
  { appearance: 'phone', viewport: PHONE, features: [REDUCED_MOTION] },
];

/**
 * Audits the open page in light, in dark and at phone width: it must satisfy WCAG 2.2 AA and must not scroll sideways.
 * Takes a screenshot of each if `CER_PICTURES` is set. A page with scripts disabled is audited without them.
 * @param name identifies the page in screenshots and failures
 */
export async function auditPage(page: Page, name: string): Promise<void> {
  await inEveryAppearance(page, async (appearance) => {
    await takeScreenshot(page, `${name}-${appearance}`);
    const tooWide: unknown = await page.evaluate('document.documentElement.scrollWidth > window.innerWidth');
    const broken = await brokenRules(page);
    expect({ name, appearance, tooWide, broken }).toEqual({ name, appearance, tooWide: false, broken: [] });
  });
}

/** Takes the screenshots of {@link auditPage} without the audit. */
export async function takeScreenshots(page: Page, name: string): Promise<void> {
  if (SCREENSHOTS === undefined) return;
  await inEveryAppearance(page, (appearance) => takeScreenshot(page, `${name}-${appearance}`));
}

async function inEveryAppearance(page: Page, act: (appearance: string) => Promise<void>): Promise<void> {
  for (const { appearance, viewport, features } of APPEARANCES) {
    await page.emulateMediaFeatures(features);
    await page.setViewport(viewport);
    await act(appearance);
  }
  await page.emulateMediaFeatures([REDUCED_MOTION]);
  await page.setViewport(DESKTOP);
}

async function takeScreenshot(page: Page, name: string): Promise<void> {
  if (SCREENSHOTS === undefined) return;
  const testFile = relative(ROOT, expect.getState().testPath ?? '').replace(/\.test\.tsx?$/, '');
  const folder = join(SCREENSHOTS, testFile);
  mkdirSync(folder, { recursive: true });
  const { width = 0, height = 0 } = page.viewport() ?? {};
  const whole = await page.$eval('html', (root) => root.scrollHeight);
  const clip = { x: 0, y: 0, width, height: Math.min(Math.max(whole, height), HIGHEST) };
  await page.screenshot({ path: join(folder, `${name}.png`), clip });
}
