import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { auditPage } from '@cer/test-browser';
import { isJsonObject } from '@cer/canonical-json';
import { buildProject, formatOpenings } from '@cer/cer-core/seal';
import { embedCertificate } from '@cer/cer-core/picture';
import { reviewRequest } from '@cer/cer-core/review';
import { CONFIDENTIAL_MEMBERS, certified, certifiedPicture, greyPng, sealed, TEST_TIME } from '@cer/cer-core/testing';
import { describeInChromium, type WatchedPage } from './chromium.js';
import { dropOn } from './drops.js';
import { Files } from './files.js';
import { hostileStrings } from './hostile.js';
import { logPolicy } from './logged.js';
import { longProject } from './long-project.js';
import { changed, lookupAnswer, object, plain, sealedOnly } from './records.js';
import { rootPem } from './root-pem.js';
import { startStubNode, type StubNode } from './stub-node.js';
import { startVerifier, type VerifierUnderTest } from './verifier-under-test.js';

// Tools for local files, which never leave the visitor's device.

describeInChromium('files on the start page', (chromium) => {
  const files = new Files();
  let node: StubNode;
  let verifier: VerifierUnderTest;
  let watched: WatchedPage;

  beforeAll(async () => {
    node = await startStubNode();
    verifier = await startVerifier({ nodeUrl: node.url });
    await chromium.start();
    watched = await chromium.open();
    await watched.page.goto(verifier.url);
    await watched.page.waitForSelector('#artefact-file');
    await watched.page.waitForFunction('document.body.textContent.includes("The key set of this site")');
  });

  afterAll(async () => {
    files.remove();
    await chromium.stop();
    await verifier.close();
    await node.close();
  });

  async function give(content: unknown, input = '#artefact-file'): Promise<void> {
    await watched.upload(input, files.write('given.json', content));
  }

  /** Clears the previous result, opens the next file, and waits for its verdict. */
  async function verdictFor(content: unknown): Promise<string | null> {
    await watched.page.evaluate(
      `[...document.querySelectorAll('.result')].forEach((node) => { node.dataset.old = '1' })`,
    );
    await watched.page.$$eval('.drop-zone .row button', (buttons) => {
      buttons[1]?.click();
    });
    await watched.page.waitForFunction(`document.querySelector('.result') === null`);
    await give(content);
    await watched.page.waitForSelector('.result [data-verdict]');
    return watched.attribute('.result [data-verdict]', 'data-verdict');
  }

  /** Drags a file from another program onto an element, as the browser itself reports it. */
  async function dragTo(selector: string, path: string): Promise<void> {
    const session = await watched.page.createCDPSession();
    await watched.page.evaluate('window.scrollTo(0, 0)');
    const box = await (await watched.page.$(selector))?.boundingBox();
    const point = { x: (box?.x ?? 0) + 10, y: (box?.y ?? 0) + 10 };
    const data = { items: [], files: [path], dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
      await session.send('Input.dispatchDragEvent', { type, ...point, data });
    }
  }

  it('checks every kind of file without an upload', async () => {
    const record = await plain();
    const before = [watched.requests.length, node.requests.length];
    expect(await verdictFor(record)).toBe('VERIFIED');
    expect(await verdictFor(lookupAnswer(record))).toBe('VERIFIED');
    expect(await verdictFor(await certified(CONFIDENTIAL_MEMBERS))).toBe('VERIFIED_CONFIDENTIAL');
    expect(await verdictFor(changed(record, ['snapshot', 'model'], 'other'))).toBe('FAILED');
    expect(await watched.attribute('.result', 'data-code')).toBe('CERTIFICATE_HASH_MISMATCH');
    expect(await verdictFor(sealedOnly())).toBe('VERIFIED');
    expect(await watched.attribute('.result [data-verdict]', 'data-tone')).toBe('neutral');
    expect(await verdictFor('{"a":1,"a":2}')).toBe('FAILED');
    expect(await verdictFor('no json at all')).toBe('FAILED');
    const after = [watched.requests.length, node.requests.length];
    // The worker's script, once.
    expect(after).toEqual([(before[0] ?? 0) + 1, before[1]]);
  });

  it('shows no verdict for a folder', async () => {
    // Once its verdict is there, the page does not scroll any more.
    expect(await verdictFor(await plain())).toBe('VERIFIED');
    await dragTo('.drop-zone', __dirname);
    await watched.page.waitForSelector('.drop-zone .warning');
    expect(await watched.text('.drop-zone .warning')).toContain('cannot be read');
    // The effect that removes the verdict runs after the warning is there.
    await watched.page.waitForFunction(`document.querySelector('.result') === null`);
    expect(await watched.page.$('.result')).toBeNull();
    await give(await plain());
    await watched.page.waitForSelector('.result [data-verdict]');
    expect(await watched.page.$('.drop-zone .warning')).toBeNull();
    expect(watched.complaints).toEqual([]);
  });

  it('checks a picture by the certificate that it carries', async () => {
    const picture = greyPng(120);
    const certificate = await certifiedPicture(picture);
    expect(await verdictFor(embedCertificate(picture, certificate))).toBe('VERIFIED');
    expect(await watched.text('.result .facts')).toContain('it is the certified picture');
    await auditPage(watched.page, 'picture');
    expect(await verdictFor(embedCertificate(greyPng(121), certificate))).toBe('FAILED');
    expect(await watched.attribute('.result', 'data-code')).toBe('OUTPUT_HASH_MISMATCH');
    expect(await watched.text('.result .facts')).toContain('the certificate is of another picture');
    expect(await verdictFor(picture)).toBe('FAILED');
    expect(await watched.text('.result .findings')).toContain('the picture carries no certificate');
  });

  it('names the certificate that a person reviewed', async () => {
    const reviewed = `sha256:${'c'.repeat(64)}` as const;
    const facts = { subject: 'certificate', reviewed, decision: 'approved', executionId: 'review-1' } as const;
    const request = reviewRequest({
      ...facts,
      reviewer: 'Ada Example',
      comment: '',
      seen: null,
      appId: null,
      at: TEST_TIME,
    });
    expect(await verdictFor(await certified(request))).toBe('VERIFIED_CONFIDENTIAL');
    const shown = (await watched.text('.result .facts')).replaceAll(/\s+/g, ' ');
    expect(shown).toContain('approved: certificate');
    expect(shown).toContain('c'.repeat(16));
  });

  it('shows hostile strings of a file as text', async () => {
    const dialogs: string[] = [];
    watched.page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    const hostile = hostileStrings(100);
    const [provider = '', model = '', appId = '', name = '', hash = ''] = hostile;
    const record = await certified({ provider, model, appId, executionId: name });
    const snapshot = { ...object(record, 'snapshot'), [hash]: hash, parameters: { list: hostile, [name]: name } };
    const signals = hostile.map((text) => ({ type: text, source: text, payload: { [text]: text } }));
    const spoiled = { ...record, certificateHash: hash, snapshot, context: { signals }, [name]: hostile };
    expect(await verdictFor(spoiled)).toBe('FAILED');
    expect(await watched.text('.result')).toContain('<img src=x onerror=alert(1)>');
    const made = 'img, iframe, script, object, embed, base, style, meta, a[href^="javascript"], [onerror], [onload]';
    expect(await watched.page.$$eval(`.result :is(${made})`, (elements) => elements.length)).toBe(0);
    await give(
      { nodeId: hostile[1], activeKid: hostile[2], keys: hostile.map((kid) => ({ kid, algorithm: kid })) },
      '#key-set-file',
    );
    await watched.page.waitForSelector('#confirm-keys');
    expect(await watched.page.$$eval(`.key-panel :is(${made})`, (elements) => elements.length)).toBe(0);
    expect(dialogs).toEqual([]);
    await watched.page.goto(verifier.url);
    await watched.page.waitForFunction('document.body.textContent.includes("The key set of this site")');
  });

  const drop = (added: string): Promise<unknown> => watched.page.evaluate(dropOn('.drop-zone', added));

  it('accepts pasted text and a dropped file', async () => {
    await watched.page.$eval(
      '#artefact-text',
      (node, text) => {
        Reflect.set(node, 'value', text);
      },
      JSON.stringify(sealedOnly()),
    );
    await watched.page.click('#artefact-check');
    await watched.page.waitForSelector('.result [data-verdict="VERIFIED"][data-tone="neutral"]');
    expect(await watched.text('.result .checked-by')).toContain('pasted text');
    await drop(`transfer.items.add(new File(['{}'], 'dropped.json'));`);
    await watched.page.waitForSelector('.result [data-verdict="FAILED"]');
    expect(await watched.text('.result .checked-by')).toContain('dropped.json');
  });

  it('says what to do when there is nothing to check', async () => {
    await watched.page.$eval('#artefact-text', (node) => {
      Reflect.set(node, 'value', ' ');
    });
    await watched.page.click('#artefact-check');
    await watched.page.waitForSelector('.drop-zone [aria-live] .warning');
    expect(await watched.text('.drop-zone .warning')).toBe(
      'There is nothing to check yet. Choose a file, or paste its JSON.',
    );
  });

  it('says that it checks one of several dropped files', async () => {
    await drop(`for (const name of ['one.json', 'two.json']) transfer.items.add(new File(['{}'], name));`);
    await watched.page.waitForFunction(
      `document.querySelector('.result .checked-by')?.textContent.includes('one.json')`,
    );
    expect(await watched.text('.drop-zone .warning')).toContain('One file at a time');
  });

  it('says that a dropped link is not a file', async () => {
    await drop(`transfer.setData('text/uri-list', 'https://example.com/');`);
    await watched.page.waitForFunction(`document.querySelector('.result') === null`);
    expect(await watched.text('.drop-zone .warning')).toContain('not a file');
  });

  it.each(['#artefact-text', '#lookup-query'])('leaves text that is dropped on %s to the browser', async (field) => {
    const text = `transfer.setData('text/plain', '{}');`;
    expect(await watched.page.evaluate(dropOn(field, text))).toEqual({ prevented: [false, false], reads: 0 });
  });

  it('takes a file that is dropped beside the zone', async () => {
    await dragTo('h1', files.write('beside.json', '{}'));
    await watched.page.waitForFunction(
      `document.querySelector('.result .checked-by')?.textContent.includes('beside.json')`,
    );
    expect(await watched.page.$('.drop-zone.over')).toBeNull();
    expect(watched.page.url()).toBe(`${verifier.url}/`);
  });

  it('shows that a drop beside the zone would be taken', async () => {
    const over = (type: string, related: string): Promise<unknown> =>
      watched.page.evaluate(`{
        const transfer = new DataTransfer();
        transfer.items.add(new File([''], 'a'));
        const options = { dataTransfer: transfer, relatedTarget: ${related}, bubbles: true, cancelable: true };
        document.querySelector('h1').dispatchEvent(new DragEvent('${type}', options));
      }`);
    await over('dragover', 'null');
    await watched.page.waitForSelector('.drop-zone.over');
    await over('dragleave', 'null');
    await watched.page.waitForFunction(`document.querySelector('.drop-zone.over') === null`);
  });

  it.each([
    ['a link beside the zone', 'h1', `transfer.setData('text/uri-list', 'https://example.com/');`],
    ['a file beside the choice of keys', '.key-panel h3', `transfer.items.add(new File(['{}'], 'keys.json'));`],
  ])('ignores %s', async (_, selector, added) => {
    expect(await watched.page.evaluate(dropOn(selector, added))).toEqual({ prevented: [true, true], reads: 0 });
  });

  it('shows a file name that reorders text as it is', async () => {
    await drop(`transfer.items.add(new File(['{}'], 'a\\u202enosj.exe'));`);
    await watched.page.waitForFunction(
      `document.querySelector('.result .checked-by')?.textContent.includes('a\\\\u{202e}nosj.exe')`,
    );
  });

  it('shows the results of steps beside long names without spaces', async () => {
    const { bundle } = sealed({ executionId: 'e'.repeat(256) });
    const step = { stepId: 's'.repeat(300), bundle, registryMembers: { stepLabel: 'l'.repeat(5000) } };
    await verdictFor(buildProject({ projectTitle: 't'.repeat(5000) }, [step]));
    const isWhole = await watched.page.$eval('.scroll:has(.steps)', (box) => box.scrollWidth <= box.clientWidth);
    expect(isWhole).toBe(true);
  });

  it('keeps the focus when the list of steps ends', async () => {
    await verdictFor(await longProject(150));
    await watched.page.focus('.step-controls button:nth-child(2)');
    await watched.page.keyboard.press('Enter');
    await watched.page.waitForSelector('[data-step="step-101"]');
    expect(await watched.page.evaluate('document.activeElement.textContent')).toBe('Next steps');
    await watched.page.keyboard.press('Enter');
    expect(await watched.text('[data-steps-shown]')).toContain('101–150 of 150');
  });

  it.each([
    ['#tsa-roots-file', '.key-panel:has(#tsa-roots-file)[data-chosen="true"]', rootPem],
    ['#log-policy-file', '.key-panel:has(#log-policy-file)[data-chosen="true"]', () => logPolicy().text],
  ])('keeps the focus when what %s chose is removed', async (input, panel, good) => {
    await watched.upload(input, files.write('good.txt', good()));
    await watched.page.waitForSelector(panel);
    await watched.page.focus(`${panel} button.quiet:not([data-copy])`);
    await watched.page.keyboard.press('Enter');
    await watched.page.waitForFunction((selector) => document.querySelector(selector) === null, {}, panel);
    expect(await watched.page.evaluate('`#${document.activeElement.id}`')).toBe(input);
  });

  it('brings the verdict of each given file into view', async () => {
    const verdictTop = (): Promise<unknown> =>
      watched.page.evaluate(`document.querySelector('.result .verdict').getBoundingClientRect().top`);
    const record = await plain();
    for (const [content, verdict] of [
      [record, 'VERIFIED'],
      [changed(record, ['snapshot', 'model'], 'other'), 'FAILED'],
    ]) {
      await watched.page.evaluate('window.scrollTo(0, 0)');
      expect(await verdictFor(content)).toBe(verdict);
      expect(await verdictTop()).toBeLessThan(100);
    }
  });

  it('opens a confidential field with its salt only', async () => {
    const { bundle, salts } = sealed({ ...CONFIDENTIAL_MEMBERS, input: 'What is a receipt?' });
    if (salts === null) throw new Error('no salts');
    const { input } = formatOpenings(salts);
    const salt = isJsonObject(input) && typeof input['salt'] === 'string' ? input['salt'] : '';
    await verdictFor(bundle);
    const open = async (text: string, value: string): Promise<void> => {
      await watched.page.$eval('#opening-tool', (node) => {
        node.setAttribute('open', '');
      });
      for (const [selector, content] of [
        ['#opening-salt', text],
        ['#opening-value', value],
      ] as const) {
        await watched.page.$eval(
          selector,
          (node, typed) => {
            Reflect.set(node, 'value', typed);
          },
          content,
        );
      }
      await watched.page.click('#opening-tool button[type="submit"]');
    };
    await open(salt, 'What is a receipt?');
    await watched.page.waitForSelector('[data-opening="opens"]');
    await auditPage(watched.page, 'tool-opening');
    // Later input was not submitted.
    await watched.page.type('#opening-value', '!');
    await watched.page.waitForFunction(`document.querySelector('[data-opening]') === null`);
    await open(salt, 'What is a receipt');
    await watched.page.waitForSelector('[data-opening="does-not-open"]');
    await open('AAAA', 'What is a receipt?');
    await watched.page.waitForSelector('[data-opening="bad-salt"]');
  });

  it('compares two bundles member by member', async () => {
    const record = await plain();
    await verdictFor(record);
    await watched.page.$eval('#compare-tool', (node) => {
      node.setAttribute('open', '');
    });
    await give({ ...changed(record, ['snapshot', 'model'], 'other'), note: 'unbound' }, '#other-file');
    await watched.page.waitForSelector('[data-differences="2"]');
    await auditPage(watched.page, 'tool-compare');
    expect(await watched.text('[data-differences]')).toMatch(
      /snapshot\.model.*example-1.*other.*yes.*note.*not there.*unbound.*no/s,
    );
    // Beside two zones, either might be meant.
    const file = `transfer.items.add(new File(['{}'], 'dropped.json'));`;
    expect(await watched.page.evaluate(dropOn('h1', file))).toEqual({ prevented: [true, true], reads: 0 });
    expect(await watched.page.evaluate(dropOn('#compare-tool h2', file))).toMatchObject({ reads: 0 });
    expect(await watched.page.evaluate(dropOn('#compare-tool .drop-zone', file))).toMatchObject({ reads: 1 });
  });

  it('detects a changed copy, leaving the original unchanged', async () => {
    await verdictFor(await plain());
    await watched.page.$eval('#tamper-tool', (node) => {
      node.setAttribute('open', '');
    });
    await watched.page.waitForFunction(`document.querySelector('#tamper-path').options.length > 5`);
    await watched.page.click('#tamper-run');
    await watched.page.waitForSelector('[data-tampered="CERTIFICATE_HASH_MISMATCH"]');
    await auditPage(watched.page, 'tool-tamper');
    expect(await watched.attribute('.result [data-verdict]', 'data-verdict')).toBe('VERIFIED');
    await watched.page.select('#tamper-path', 'meta.attestation.signature');
    await watched.page.click('#tamper-run');
    await watched.page.waitForSelector('[data-tampered="ATTESTATION_INVALID_SIGNATURE"]');
  });

  it('checks ten thousand steps in a worker, with progress', async () => {
    const bundle = await longProject(10_000);
    await watched.page.evaluate(`
      globalThis.seen = new Set();
      new MutationObserver(() => {
        const bar = document.querySelector('.working progress');
        if (bar !== null && bar.hasAttribute('value')) seen.add(bar.value);
      }).observe(document.querySelector('#tools'), { subtree: true, childList: true, attributes: true });
    `);
    expect(await verdictFor(bundle)).toBe('VERIFIED');
    expect(watched.page.workers()).toHaveLength(1);
    expect(await watched.page.evaluate('seen.size')).toBeGreaterThan(5);
    await auditPage(watched.page, 'project-of-10000');
    expect(await watched.text('[data-steps-shown]')).toContain('1–100 of 10000');
    await watched.page.click('.step-controls button:nth-child(2)');
    await watched.page.waitForSelector('[data-step="step-101"]');
    expect(await watched.page.evaluate(`document.querySelectorAll('[data-step]').length`)).toBe(100);
  });

  it('logged no complaint', () => {
    expect(watched.complaints).toEqual([]);
  });
});
