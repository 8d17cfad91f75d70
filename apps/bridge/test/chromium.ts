import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import axe from 'axe-core';
import puppeteer, { type Browser, type Page } from 'puppeteer';

const PATHS = [
  process.env['CHROMIUM_PATH'] ?? '',
  '/usr/lib/chromium/chromium-headless-shell',
  '/usr/lib/chromium/chromium',
  '/usr/bin/chromium',
];
/** A folder to look at pictures in, when somebody wants to. */
const PICTURES = process.env['BRIDGE_PICTURES'];
const DESKTOP = { width: 1100, height: 900 };
const PHONE = { width: 360, height: 740 };

/** A real Chromium. */
export async function launchChromium(): Promise<Browser> {
  const executablePath = PATHS.find((path) => path !== '' && existsSync(path));
  if (executablePath === undefined) throw new Error(`no Chromium: looked at CHROMIUM_PATH, ${PATHS.join(', ')}`);
  return puppeteer.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
}

/**
 * Holds the page that is open to WCAG 2.2 AA in light and in dark, and to the width of a phone, and takes its picture
 * in all three when somebody wants to look.
 */
export async function lookAt(page: Page, name: string): Promise<void> {
  for (const [look, scheme, viewport] of [
    ['light', 'light', DESKTOP],
    ['dark', 'dark', DESKTOP],
    ['phone', 'light', PHONE],
  ] as const) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    await page.setViewport(viewport);
    if (PICTURES !== undefined) {
      mkdirSync(PICTURES, { recursive: true });
      await page.screenshot({ path: join(PICTURES, `${name}-${look}.png`), fullPage: true });
    }
    const tooWide: unknown = await page.evaluate('document.documentElement.scrollWidth > window.innerWidth');
    expect({ name, look, tooWide, broken: await brokenRules(page) }).toEqual({
      name,
      look,
      tooWide: false,
      broken: [],
    });
  }
  await page.setViewport(DESKTOP);
}

/** The rules of WCAG 2.2 AA and of good practice that a page breaks, as `rule: element`. */
async function brokenRules(page: Page): Promise<unknown> {
  await page.evaluate(axe.source);
  return page.evaluate(`axe
    .run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
    .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ': ' + target)))`);
}
