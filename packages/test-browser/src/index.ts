/** The real Chromium that tests open pages in. Read as it stands, never built: nothing but tests imports it. */
export type { Browser, BrowserContext, Page } from 'puppeteer';
export { describeInChromium, findChromium, launchChromium, newPage } from './chromium.js';
export { lookAt, takePictures } from './look-at.js';
export { watchPage, type PageWatch } from './watch-page.js';
