/** The real Chromium in which tests open pages. Only tests import it, from source, so it is never built. */
export type { Browser, BrowserContext, Page } from 'puppeteer';
export { describeInChromium, findChromium, launchChromium, newPage } from './chromium.js';
export { auditPage, takeScreenshots } from './audit-page.js';
export { watchPage, type PageWatch } from './watch-page.js';
export { describeInOtherBrowsers, type OtherBrowser } from './other-browsers.js';
export { freePort } from './free-port.js';
