import { readFileSync } from 'node:fs';
import type { Page } from 'puppeteer';

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

// The short form: the long one takes twice as long to be sent and compiled, 0.25 s for each document.
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const RUN = `axe.run(document, { runOnly: ${JSON.stringify(TAGS)} })
  .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ': ' + target)))`;

// With scripts disabled timers never fire, but axe waits for zero-delay timers: they run as microtasks here, and axe's
// timeouts never. axe also skips the content of noscript, which is visible then: it is moved into a plain element for
// the duration of the run.
const RUN_WITHOUT_SCRIPTS = `(() => {
  const moved = [...document.querySelectorAll('body noscript')].map((element) => {
    const place = document.createElement('span');
    place.append(...element.childNodes);
    element.replaceWith(place);
    return { element, place };
  });
  return ${RUN}.finally(() => {
    for (const { element, place } of moved) {
      element.append(...place.childNodes);
      place.replaceWith(element);
    }
  });
})()`;
const TIMERS = 'globalThis.setTimeout = (act, ms = 0) => { if (ms === 0) void Promise.resolve().then(act); return 0; }';

/** The WCAG 2.2 AA and best-practice rules that the open page violates, as `rule: element`. */
export async function brokenRules(page: Page): Promise<unknown> {
  const hasScripts = page.isJavaScriptEnabled();
  if (!hasScripts) await page.evaluate(TIMERS);
  // The text of axe is large: once for each document.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(AXE);
  return page.evaluate(hasScripts ? RUN : RUN_WITHOUT_SCRIPTS);
}
