import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { auditPage } from '@cer/test-browser';
import { keyFingerprint } from '@cer/keys';
import { testKeySet } from '@cer/keys/testing';
import { TEST_NODE_ID, TEST_SIGNER } from '@cer/cer-core/testing';
import { ask } from './ask.js';
import { describeInChromium, type WatchedPage } from './chromium.js';
import { Files } from './files.js';
import { hashOf, lookupAnswer, plain, project } from './records.js';
import { certificatePath, startStubNode } from './stub-node.js';
import { startVerifier, WEB_BUILD_FOLDER } from './verifier-under-test.js';

const BUILT = join(WEB_BUILD_FOLDER, 'offline.html');

it('allows its own script and style by hash, no connection', () => {
  const html = readFileSync(BUILT, 'utf8');
  const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(html)?.[1] ?? '';
  const digest = (element: string): string => {
    const text = new RegExp(`<${element}[^>]*>(.*?)</${element}>`, 's').exec(html)?.[1] ?? '';
    return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  };
  expect(policy.split('; ')).toEqual([
    "default-src 'none'",
    `script-src ${digest('script')}`,
    `style-src ${digest('style')}`,
    'worker-src blob:',
    'img-src data:',
    "connect-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
  ]);
  expect(html).not.toMatch(/(?:src|href)="(?!data:)|@import|url\(/);
});

describeInChromium('the offline file, with the network cut', (chromium) => {
  const files = new Files();
  let watched: WatchedPage;
  let keySet: string;

  beforeAll(async () => {
    keySet = files.write('keys.json', testKeySet({ nodeId: TEST_NODE_ID, signers: [{ signer: TEST_SIGNER }] }));
    await chromium.start();
  });

  afterAll(async () => {
    files.remove();
    await chromium.stop();
  });

  async function openFile(path: string): Promise<void> {
    watched = await chromium.open();
    await watched.page.setOfflineMode(true);
    await watched.page.goto(pathToFileURL(path).href);
    await watched.page.waitForSelector('#artefact-file');
  }

  it('counts loaded keys only once their fingerprint is confirmed', async () => {
    await openFile(BUILT);
    await watched.upload('#artefact-file', files.write('certificate.json', await plain()));
    await watched.page.waitForSelector('.result[data-code="VERIFICATION_MATERIAL_UNAVAILABLE"] [data-tone="unknown"]');
    expect(await watched.text('.result [data-layer="receipt"]')).toContain('says nothing for or against');
    await watched.upload('#key-set-file', keySet);
    await watched.page.waitForSelector('[data-key-state="unconfirmed"]');
    expect(await watched.attribute('[data-key-state]', 'aria-live')).toBe('polite');
    expect(await watched.text('.fingerprints')).toContain(keyFingerprint(TEST_SIGNER.publicKey));
    expect(await watched.attribute('.result', 'data-code')).toBe('VERIFICATION_MATERIAL_UNAVAILABLE');
    await auditPage(watched.page, 'offline-unconfirmed');
    await watched.page.click('#confirm-keys');
    await watched.page.waitForSelector('.result [data-verdict="VERIFIED"][data-tone="good"]');
    await watched.page.click('#confirm-keys');
    await watched.page.waitForSelector('.result[data-code="VERIFICATION_MATERIAL_UNAVAILABLE"]');
    expect([watched.complaints, watched.requests]).toEqual([[], [pathToFileURL(BUILT).href]]);
    await watched.close();
  });

  it('checks a project without any request', async () => {
    await openFile(BUILT);
    await watched.upload('#key-set-file', keySet);
    await watched.page.waitForSelector('#confirm-keys');
    await watched.page.click('#confirm-keys');
    await watched.upload('#artefact-file', files.write('project.json', await project(3)));
    await watched.page.waitForSelector('.result [data-verdict="VERIFIED"][data-tone="good"]');
    await watched.page.setOfflineMode(false);
    const outcome = await watched.page.evaluate(`fetch('https://example.com/').then(() => 'sent', () => 'refused')`);
    expect(outcome).toBe('refused');
    expect(watched.complaints.join(' ')).toContain('Content Security Policy');
    await watched.close();
  });

  it('checks a saved certificate under confirmed keys only', async () => {
    const node = await startStubNode();
    const verifier = await startVerifier({ nodeUrl: node.url });
    const record = await plain();
    node.answers.set(certificatePath(hashOf(record)), { status: 200, body: lookupAnswer(record) });
    const saved = await ask(verifier.url, `/c/${encodeURIComponent(hashOf(record))}/offline.html`);
    expect(saved.headers['content-disposition']).toMatch(/^attachment; filename="certificate-[0-9a-f]{12}\.html"$/);
    await Promise.all([verifier.close(), node.close()]);

    const path = files.write('saved.html', saved.text);
    await openFile(path);
    await watched.page.waitForSelector('[data-key-state="unconfirmed"]');
    await watched.page.waitForSelector('.result[data-code="VERIFICATION_MATERIAL_UNAVAILABLE"]');
    expect(await watched.page.evaluate('window.scrollY')).toBe(0);
    // The same result once more: only a new element is of the new check, which scrolls the page.
    await watched.page.$eval('.result', (result) => {
      result.setAttribute('data-old', '');
    });
    await watched.page.click('.drop-zone button');
    await watched.page.waitForSelector('.result[data-code="VERIFICATION_MATERIAL_UNAVAILABLE"]:not([data-old])');
    await watched.page.click('#confirm-keys');
    await watched.page.waitForSelector('.result [data-verdict="VERIFIED"][data-tone="good"]');
    const verdictTop = `document.querySelector('.result .verdict').getBoundingClientRect().top`;
    expect(await watched.page.evaluate(verdictTop)).toBeLessThan(100);
    await auditPage(watched.page, 'offline-saved');
    expect(await watched.text('.facts')).toContain('this saved page, confirmed by you');
    expect([watched.complaints, watched.requests]).toEqual([[], [pathToFileURL(path).href]]);
    await watched.close();
  });
});
