import { auditPage, describeInChromium, launchChromium, newPage, type Browser, type Page } from '@cer/test-browser';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { serveDashboard, type ServedDashboard } from './served-dashboard.js';
import { OWNER_EMAIL, PASSWORD } from './test-dashboard.js';

jest.setTimeout(300_000);

describeInChromium('passkeys of Chromium’s virtual authenticator', () => {
  let served: ServedDashboard;
  let browser: Browser;
  let page: Page;
  let setVerified: (isUserVerified: boolean) => Promise<void>;
  const complaints: string[] = [];

  beforeAll(async () => {
    served = await serveDashboard();
    browser = await launchChromium();
    page = await newPage(browser);
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => {
      if (!/status of 4\d\d/.test(message.text())) complaints.push(message.text());
    });
    const devtools = await page.createCDPSession();
    await devtools.send('WebAuthn.enable');
    const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
        ...{ isUserVerified: true, automaticPresenceSimulation: true },
      },
    });
    setVerified = async (isUserVerified) => {
      await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
    };
  });

  afterAll(async () => {
    await browser.close();
    await served.close();
  });

  const heading = (): Promise<string> => page.$eval('h1', (element) => element.textContent);
  const see = async (title: string, name: string): Promise<void> => {
    expect(await heading()).toBe(title);
    await auditPage(page, name);
  };
  /** Moves the focus by the keyboard to an element, then presses Enter. */
  const enterOn = async (selector: string): Promise<void> => {
    for (let at = 0; at < 60; at += 1) {
      await page.keyboard.press('Tab');
      if (await page.evaluate((wanted) => document.activeElement?.matches(wanted) === true, selector)) {
        await page.keyboard.press('Enter');
        return;
      }
    }
    throw new Error(`the keyboard does not reach ${selector}`);
  };
  const signOut = () => Promise.all([page.waitForNavigation(), page.click('header form button')]);
  const failure = (): Promise<string> =>
    page
      .waitForFunction(() => document.querySelector('[data-failure]:not(:empty)')?.textContent ?? '')
      .then((text) => text.jsonValue());

  it('are added by keyboard alone', async () => {
    await page.goto(served.url);
    await page.type('#email', OWNER_EMAIL);
    await page.type('#password', PASSWORD);
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    await page.goto(`${served.url}/security`);
    await see('Your sign-in', 'passkeys-none');
    await page.focus('#name');
    await page.keyboard.type('This laptop');
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    expect(page.url()).toBe(`${served.url}/security?done=passkey-added`);
    await see('Your sign-in', 'passkeys-added');
    expect(await page.$eval('.passkeys', (list) => list.textContent)).toContain('This laptop');
  });

  it('are not added twice on one device', async () => {
    await page.type('#name', 'Again');
    await page.keyboard.press('Enter');
    expect(await failure()).toBe('This device has a passkey of this account already.');
    await auditPage(page, 'passkey-known');
  });

  it('sign in without address and password, by keyboard alone', async () => {
    await signOut();
    await see('Sign in', 'sign-in-with-passkey');
    await Promise.all([page.waitForNavigation(), enterOn('#passkey')]);
    expect(await heading()).toBe('Overview');
    await page.goto(`${served.url}/security`);
    expect(await page.$eval('.passkeys', (list) => list.textContent)).not.toContain('never');
  });

  it('require user verification by the device', async () => {
    await setVerified(false);
    await signOut();
    await page.click('#passkey');
    expect(await failure()).toBe('No passkey was used. Try again.');
    await auditPage(page, 'passkey-cancelled');
    await setVerified(true);
    await Promise.all([page.waitForNavigation(), page.click('#passkey')]);
    expect(await heading()).toBe('Overview');
  });

  it('are asked for once while the form is on its way', async () => {
    await signOut();
    await page.evaluate(`
      globalThis.asked = 0;
      globalThis.sent = 0;
      const get = navigator.credentials.get.bind(navigator.credentials);
      navigator.credentials.get = (options) => { asked += 1; return get(options); };
      HTMLFormElement.prototype.submit = () => { sent += 1; };
    `);
    await page.click('#passkey');
    await page.waitForFunction('sent === 1');
    await page.click('#passkey');
    expect(await page.evaluate('asked')).toBe(1);
    await page.reload();
    await Promise.all([page.waitForNavigation(), page.click('#passkey')]);
    expect(await heading()).toBe('Overview');
  });

  it('do not sign in once removed', async () => {
    await page.goto(`${served.url}/security`);
    await Promise.all([page.waitForNavigation(), page.click('.passkeys button')]);
    await see('Your sign-in', 'passkey-removed');
    await signOut();
    await Promise.all([page.waitForNavigation(), page.click('#passkey')]);
    expect(await page.$eval('[role=alert]', (element) => element.textContent)).toContain('was not accepted');
    await see('Sign in', 'passkey-refused');
  });

  it('never violated the content security policy', () => {
    expect(complaints).toEqual([]);
  });
});
