import { expect } from '@jest/globals';
import axe from 'axe-core';
import type { WatchedPage } from './chromium.js';

/** Looks at a page as it stands: accessible in light and dark, whole on a phone, and kept as pictures where wanted. */
export async function examine(watched: WatchedPage, name: string): Promise<void> {
  const { page } = watched;
  await watched.take(name);
  expect(await axeViolations(watched)).toEqual([]);
  await page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: 'dark' },
    { name: 'prefers-reduced-motion', value: 'reduce' },
  ]);
  expect(await axeViolations(watched)).toEqual([]);
  await page.emulateMediaFeatures([]);
  const viewport = page.viewport();
  await page.setViewport({ width: 360, height: 740 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  await page.setViewport(viewport);
}

/** Rules of WCAG 2.2 AA that the page breaks, as `rule: element`. */
async function axeViolations({ page }: WatchedPage): Promise<unknown> {
  await page.evaluate(axe.source);
  return page.evaluate(`axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
    .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ': ' + target)))`);
}
