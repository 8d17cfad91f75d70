import { describeInChromium, launchChromium, newPage, type Browser, type Page } from '@cer/test-browser';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { serveDashboard, type ServedDashboard } from './served-dashboard.js';
import { OWNER_EMAIL, PASSWORD } from './test-dashboard.js';

describeInChromium('in a real browser', () => {
  let served: ServedDashboard;
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    served = await serveDashboard();
    browser = await launchChromium();
    page = await newPage(browser);
    page.on('console', (message) => complaints.push(message.text()));
  });

  afterAll(async () => {
    await browser.close();
    await served.close();
  });

  const press = (selector: string) => Promise.all([page.waitForNavigation(), page.click(selector)]);

  it('signs in by keyboard alone, the skip link first', async () => {
    await page.goto(served.url);
    await page.keyboard.press('Tab');
    expect(await page.$eval(':focus', (element) => element.textContent)).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    // The browser follows the link some time after the key.
    await page.waitForFunction(() => location.hash === '#content');
    await page.keyboard.press('Tab');
    await page.keyboard.type(OWNER_EMAIL);
    await page.keyboard.press('Tab');
    await page.keyboard.type(PASSWORD);
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    expect(await page.$eval('h1', (heading) => heading.textContent)).toBe('Overview');
  });

  it('follows Connect to the bridge', async () => {
    await page.goto(`${served.url}/integrations`);
    await press('main form button');
    expect(page.url().startsWith(`${served.bridgeUrl}/#handoff=ey`)).toBe(true);
  });

  it('signs out', async () => {
    await page.goto(served.url);
    await press('header form button');
    expect(page.url()).toBe(`${served.url}/sign-in?done=signed-out`);
    await page.goto(`${served.url}/keys`);
    expect(page.url()).toContain('/sign-in?to=');
  });

  it('never violated the content security policy', () => {
    expect(complaints).toEqual([]);
  });
});
