import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { sha256 } from '@cer/cer-core';
import { describeInOtherBrowsers, type OtherBrowser } from '@cer/test-browser';
import { certificateOf, sketchOf, STILLS } from './gallery.js';
import { checkAll, OPEN_WORKER, requestOf, siteChecks } from './offline-worker.js';
import { unpackVectors } from './vectors.js';
import { WEB_BUILD_FOLDER } from './verifier-under-test.js';

// What a visitor proves must not depend on the maker of the browser.

/** Blending, gradients, chaos and text differ first; `GALLERY_ALL=1` draws every still. */
const SHORT = ['blend-modes', 'gradients-and-shadow', 'de-jong', 'typography'];
const sketches = process.env['GALLERY_ALL'] === '1' ? STILLS : SHORT;

const pageOf = (file: string): string => pathToFileURL(join(WEB_BUILD_FOLDER, file)).href;

/** Chooses both files, draws, and returns the judgement; what the page says where it is not the same picture. */
const judge = (certificate: string, sketch: string): string => `
  const choose = (selector, name, text) => {
    const { items, files } = new DataTransfer();
    items.add(new File([text], name));
    const input = document.querySelector(selector);
    input.files = files;
    input.dispatchEvent(new Event('change', { bubbles: true }));
  };
  const found = async (selector) => {
    for (;;) {
      const element = document.querySelector(selector);
      if (element !== null) return element;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  choose('#certificate-file', 'certificate.json', ${JSON.stringify(certificate)});
  choose('#sketch-file', 'sketch.js', ${JSON.stringify(sketch)});
  (await found('#draw:not(:disabled)')).click();
  const { judgement } = (await found('[data-judgement]')).dataset;
  return judgement === 'same' ? judgement : document.querySelector('main').innerText;
`;

describeInOtherBrowsers('the offline pages', (open) => {
  const folder = mkdtempSync(join(tmpdir(), 'cer-other-browsers-'));
  let browser: OtherBrowser;

  beforeAll(async () => {
    browser = await open();
  });
  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
  });

  it('have the same verdict on every vector', async () => {
    const vectors = unpackVectors(folder);
    const site = await siteChecks(vectors);
    await browser.open(pageOf('offline.html'));
    await browser.run(OPEN_WORKER);
    const found = await browser.run(`return await ${checkAll(vectors.map(requestOf))}`);
    expect(found).toEqual(vectors.map(({ name }) => site.get(name)));
  });

  it.each(sketches)('draw the same picture: %s', async (name) => {
    await browser.open(pageOf('redraw.html'));
    const certificate = JSON.stringify(await certificateOf(name));
    expect(await browser.run(judge(certificate, readFileSync(sketchOf(name), 'utf8')))).toBe('same');
  });

  it('see a picture that is not the same', async () => {
    await browser.open(pageOf('redraw.html'));
    const certificate = JSON.stringify(await certificateOf('variables', { seed: 'another' }));
    const sketch = readFileSync(sketchOf('variables'), 'utf8');
    expect(await browser.run(judge(certificate, sketch))).toContain('Another picture');
  });

  it('show a sketch no traces, no zone and no limit that it can catch', async () => {
    const sketch = `function setup() {
      const error = new Error('x');
      let caught = '';
      try { (function deeper() { return deeper() + 1; })(); } catch { caught = ' and continued'; }
      throw new Error([JSON.stringify(error.stack), new Date(2020, 6).getTime()].join() + caught);
    }`;
    const shown = sketch.replace(/try .*\n/, '');
    await browser.open(pageOf('redraw.html'));
    const certificate = async (code: string): Promise<string> =>
      JSON.stringify(await certificateOf('', { codeHash: sha256(code) }));
    expect(await browser.run(judge(await certificate(shown), shown))).toContain('"",1593561600000');
    await browser.open(pageOf('redraw.html'));
    const ended = await browser.run(judge(await certificate(sketch), sketch));
    expect(ended).toContain('Cannot be judged');
    expect(ended).not.toContain('and continued');
  });
});
