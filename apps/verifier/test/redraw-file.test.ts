import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { parseJson, type JsonObject } from '@cer/canonical-json';
import { sha256 } from '@cer/cer-core';
import { embedCertificate } from '@cer/cer-core/picture';
import { greyPng } from '@cer/cer-core/testing';
import { auditPage } from '@cer/test-browser';
import { ask } from './ask.js';
import { describeInChromium, type WatchedPage } from './chromium.js';
import { dropOn } from './drops.js';
import { Files } from './files.js';
import { certificateOf, sketchOf } from './gallery.js';
import { HOLD_READS } from './held-answers.js';
import { hashOf } from './records.js';
import { certificatePath, startStubNode } from './stub-node.js';
import { startVerifier, WEB_BUILD_FOLDER } from './verifier-under-test.js';

describeInChromium('the page that draws again', (chromium) => {
  const files = new Files();
  let watched: WatchedPage;

  beforeAll(async () => {
    await chromium.start();
  });
  afterAll(async () => {
    files.remove();
    await chromium.stop();
  });

  async function certificate(name: string, changes: JsonObject = {}): Promise<string> {
    return files.write('certificate.json', await certificateOf(name, changes));
  }

  /** @param before a script that runs before those of the page */
  async function openFromDisk(before = ''): Promise<void> {
    watched = await chromium.open();
    await watched.page.evaluateOnNewDocument(before);
    await watched.page.setOfflineMode(true);
    await watched.page.goto(pathToFileURL(join(WEB_BUILD_FOLDER, 'redraw.html')).href);
    await watched.page.waitForSelector('#certificate-file');
  }

  /** Begins to draw a sketch that does not end. */
  async function drawEndless(): Promise<void> {
    const code = 'function setup() { for (;;); }';
    await watched.upload('#certificate-file', await certificate('mine', { codeHash: sha256(code) }));
    await watched.upload('#sketch-file', files.write('endless.js', code));
    await watched.page.click('#draw');
  }

  async function judged(path: string, sketch: string): Promise<string | null> {
    await watched.upload('#certificate-file', path);
    await watched.upload('#sketch-file', sketch);
    await watched.page.click('#draw');
    await watched.page.waitForSelector('[data-judgement]');
    return watched.attribute('[data-judgement]', 'data-judgement');
  }

  it.each(['typography', 'blend-modes', 'de-jong'])('draws %s again without a network', async (name) => {
    await openFromDisk();
    expect(await judged(await certificate(name), sketchOf(name))).toBe('same');
    expect(watched.complaints).toEqual([]);
    if (name === 'typography') await auditPage(watched.page, 'redraw-same');
  });

  it.each([
    ['other pixels than are drawn', 'another', { outputHash: sha256('another') }],
    ['another version of the engine', 'not-judged', { engine: { name: 'portable', version: '0.1.0' } }],
    ["a browser's own canvas", 'not-judged', { engine: { name: 'chromium-native', boundTo: 'machine' } }],
    ['a loop', 'not-judged', { execution: { mode: 'loop', totalFrames: 2, fps: 30 } }],
    ['another sketch', 'failed', { codeHash: sha256('another') }],
  ])('says of a certificate of %s: %s', async (_name, verdict, changes) => {
    await openFromDisk();
    expect(await judged(await certificate('variables', changes), sketchOf('variables'))).toBe(verdict);
  });

  it.each([
    ['its own picture', 'same', 1],
    ['another picture', 'failed', 2],
  ])('reads the certificate that is in %s: %s', async (_name, verdict, grey) => {
    await openFromDisk();
    const cer = await certificateOf('variables', { imageHash: sha256(greyPng(1)) });
    const picture = files.write('picture.png', embedCertificate(greyPng(grey), cer));
    expect(await judged(picture, sketchOf('variables'))).toBe(verdict);
  });

  it('stays where a file misses its fields', async () => {
    await openFromDisk();
    const file = `transfer.items.add(new File([''], 'sketch.js'));`;
    const prevented = async (selector: string): Promise<unknown> => watched.page.evaluate(dropOn(selector, file));
    expect(await prevented('h1')).toMatchObject({ prevented: [true, true] });
    expect(await prevented('#sketch-file')).toMatchObject({ prevented: [false, false] });
  });

  it('fails for a changed certificate', async () => {
    await openFromDisk();
    const changed = readFileSync(await certificate('variables'), 'utf8').replace('"seed":"', '"seed":"x');
    expect(await judged(files.write('changed.json', changed), sketchOf('variables'))).toBe('failed');
  });

  it.each([
    ['a still of the portable engine', {}, true],
    ["a still of a browser's own canvas", { engine: { name: 'chromium-native', boundTo: 'machine' } }, false],
    ['a loop', { execution: { mode: 'loop', totalFrames: 2, fps: 30 } }, false],
  ])('is linked, or not, from the page of %s', async (_name, changes, isLinked) => {
    const node = await startStubNode();
    const verifier = await startVerifier({ nodeUrl: node.url });
    try {
      const cer = parseJson(readFileSync(await certificate('variables', changes))) as JsonObject;
      const hash = hashOf(cer);
      node.answers.set(certificatePath(hash), { status: 200, body: cer });
      const page = await ask(verifier.url, `/c/${encodeURIComponent(hash)}`);
      expect(page.text).toContain(`/c/${encodeURIComponent(hash)}/report.json`);
      expect(page.text.includes('href="/redraw.html"')).toBe(isLinked);
    } finally {
      await verifier.close();
      await node.close();
    }
  });

  it('isolates a sketch from the page that the verifier serves', async () => {
    const node = await startStubNode();
    const verifier = await startVerifier({ nodeUrl: node.url });
    try {
      const code = `function setup() {
        const names = ['fetch', 'XMLHttpRequest', 'WebSocket', 'indexedDB', 'caches', 'postMessage', 'importScripts', 'navigator', 'performance', 'WebAssembly', 'openSketchRealm', 'Worker', 'setTimeout'];
        const found = names.filter((name) => { try { return globalThis[name] !== undefined || (self && self[name] !== undefined); } catch { return false; } });
        if (found.length > 0) throw new Error(found.join());
      }`;
      watched = await chromium.open();
      const answer = await watched.page.goto(`${verifier.url}/redraw.html`);
      expect(answer?.headers()['content-security-policy']).toBe("sandbox allow-scripts; frame-ancestors 'none'");
      await watched.page.waitForSelector('#certificate-file');
      const sketch = files.write('sketch.js', code);
      expect(await judged(await certificate('mine', { codeHash: sha256(code) }), sketch)).toBe('another');
      expect(watched.requests).toEqual([`${verifier.url}/redraw.html`]);
    } finally {
      await verifier.close();
      await node.close();
    }
  });

  it('stops a sketch that does not end', async () => {
    await openFromDisk();
    await drawEndless();
    await (await watched.page.waitForSelector('#stop'))?.click();
    await watched.page.waitForSelector('[data-judgement="not-judged"]');
  });

  it('stops a sketch before its certificate is read', async () => {
    await openFromDisk(HOLD_READS);
    await drawEndless();
    await (await watched.page.waitForSelector('#stop'))?.click();
    await watched.page.evaluate('held[0]()');
    await watched.page.waitForSelector('[data-judgement="not-judged"]');
  });

  it('says of a file that was removed that it cannot be read', async () => {
    await openFromDisk();
    const path = files.write('removed.js', 'function setup() {}');
    await watched.upload('#certificate-file', await certificate('variables'));
    await watched.upload('#sketch-file', path);
    rmSync(path);
    await watched.page.click('#draw');
    await watched.page.waitForSelector('[data-judgement="not-judged"]');
    expect(await watched.text('[data-judgement]')).toContain('cannot be read');
    expect(watched.complaints).toEqual([]);
  });

  it('shows no result beside files that were chosen after it', async () => {
    await openFromDisk();
    expect(await judged(await certificate('variables'), sketchOf('variables'))).toBe('same');
    await watched.upload('#sketch-file', sketchOf('typography'));
    await watched.page.waitForFunction(`document.querySelector('[data-judgement]') === null`);
  });

  it('shows no result of files that were replaced while it drew', async () => {
    await openFromDisk();
    await drawEndless();
    await watched.page.waitForSelector('#stop');
    await watched.upload('#sketch-file', sketchOf('variables'));
    await watched.page.waitForFunction(`document.querySelector('#stop') === null`);
    expect(await watched.page.$('[data-judgement]')).toBeNull();
  });

  it('says which files it needs when one is missing', async () => {
    await openFromDisk();
    await watched.upload('#sketch-file', sketchOf('variables'));
    await watched.page.click('#draw');
    await watched.page.waitForSelector('[aria-live] .warning');
    expect(await watched.text('[aria-live] .warning')).toBe('Choose both files first: the certificate and the sketch.');
    await watched.upload('#certificate-file', await certificate('variables'));
    await watched.page.waitForSelector('[aria-live] .warning', { hidden: true });
  });

  it('keeps the focus on the button that draws', async () => {
    await openFromDisk();
    const focused = (): Promise<unknown> => watched.page.evaluate('document.activeElement.id');
    await watched.upload('#certificate-file', await certificate('variables'));
    await watched.upload('#sketch-file', sketchOf('variables'));
    await watched.page.focus('#draw');
    await watched.page.keyboard.press('Enter');
    await watched.page.waitForSelector('[data-judgement="same"]');
    expect(await focused()).toBe('draw');
    await drawEndless();
    await watched.page.waitForSelector('#stop');
    await watched.page.focus('#stop');
    await watched.page.keyboard.press('Enter');
    await watched.page.waitForSelector('[data-judgement="not-judged"]');
    expect(await focused()).toBe('draw');
  });
});
