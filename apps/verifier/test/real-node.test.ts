import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isJsonObject, type JsonObject } from '@cer/canonical-json';
import { buildProject } from '@cer/cer-core/seal';
import { ask, toneOf, verdictOf } from './ask.js';
import { describeInChromium } from './chromium.js';
import { startNodeProcess, type NodeProcess } from './node-process.js';
import { startVerifier, type VerifierUnderTest } from './verifier-under-test.js';

// Against the node as it is deployed, not a stub of it.

let node: NodeProcess;
let verifier: VerifierUnderTest;
const paths = new Map<string, string>();

beforeAll(async () => {
  node = await startNodeProcess();
  verifier = await startVerifier({ nodeUrl: node.url });
  const base = { provider: 'example', model: 'example-1', input: 'SECRET QUESTION', output: 'SECRET ANSWER' };
  const certify = (name: string, body: object): Promise<JsonObject> => certifyAs(name, { ...base, ...body });
  const plain = await certify('plain', {
    executionId: 'run-1',
    signals: [{ type: 'review', source: 'desk', payload: { ok: true } }],
  });
  await certify('resealed', { executionId: 'run-2', parameters: { temperature: 0, secret: 'a withheld member' } });
  await certify('confidential', {
    executionId: 'run-3',
    protocolVersion: '1.3.1',
    prompt: 'A prompt that is not published',
    parameters: { temperature: 0, maxTokens: 10, topP: null, seed: null },
  });
  const project = buildProject({ projectTitle: 'Series' }, [{ stepId: 'one', bundle: plain }]);
  const { projectHash } = await node.post('/v1/project-bundle/register', project);
  paths.set('project', `/p/${encodeURIComponent(String(projectHash))}`);
});

afterAll(async () => {
  await verifier.close();
  await node.stop();
});

async function certifyAs(name: string, body: object): Promise<JsonObject> {
  const { cer, certificateHash } = await node.post('/v1/cer/ai/certify', body);
  paths.set(name, `/c/${encodeURIComponent(String(certificateHash))}`);
  if (!isJsonObject(cer)) throw new Error('no certificate');
  return cer;
}

const CASES = [
  ['plain', 'VERIFIED'],
  ['resealed', 'VERIFIED'],
  ['confidential', 'VERIFIED_CONFIDENTIAL'],
  ['project', 'VERIFIED'],
] as const;

describe('records of a real node', () => {
  it.each(CASES)('%s: the server finds %s and shows nothing withheld', async (name, verdict) => {
    const page = await ask(verifier.url, paths.get(name) ?? '');
    expect([page.status, verdictOf(page), toneOf(page)]).toEqual([200, verdict, 'good']);
    expect(page.text).not.toMatch(/SECRET|withheld member|not published/);
  });

  it('show which hash of a public form was recomputed', async () => {
    const path = paths.get('resealed') ?? '';
    const asked = decodeURIComponent(path.slice('/c/'.length));
    const { headers, text } = await ask(verifier.url, path, { accept: 'application/json' });
    expect(headers['content-type']).toMatch(/^application\/json/);
    const report: unknown = JSON.parse(text);
    if (!isJsonObject(report)) throw new Error('no report');
    expect(report).toMatchObject({ status: 'VERIFIED', originalCertificateHash: asked });
    const recomputed = report['certificateHash'];
    if (typeof recomputed !== 'string') throw new Error('no hash');
    expect(recomputed).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(recomputed).not.toBe(asked);
    const page = (await ask(verifier.url, path)).text;
    const original = page.indexOf('Made from certificate');
    expect(page.slice(original, original + 600)).toContain(asked);
    expect(page.slice(original, original + 600)).toContain('recomputed was the hash of the public form');
    const named = page.indexOf('Hash of the public form');
    expect(page.slice(named, original)).toContain(recomputed);
    expect(page.match(/<h1 class="record-title">.*?<\/h1>/)?.[0]).toContain(asked);
    expect(page).toContain('The hash of the public form was computed again from the content and is the same.');
    expect(page).toContain('It must print the hash under “Facts”');
  });

  it('disappear when hidden, and reappear', async () => {
    const hidden = await node.post('/v1/cer/ai/certify', {
      executionId: 'run-hidden',
      provider: 'example',
      model: 'example-1',
      input: 'q',
      output: 'a',
    });
    const path = `/c/${encodeURIComponent(String(hidden['certificateHash']))}`;
    const act = (name: string): Promise<void> =>
      node.administer(`/v1/admin/records/${encodeURIComponent(String(hidden['certificateHash']))}/${name}`, {});
    expect(verdictOf(await ask(verifier.url, path))).toBe('VERIFIED');
    await act('hide');
    const page = await ask(verifier.url, path);
    expect([page.status, verdictOf(page), toneOf(page)]).toEqual([404, 'NOT_FOUND', 'unknown']);
    expect((await ask(verifier.url, `${path}/offline.html`)).status).toBe(404);
    expect((await ask(verifier.url, `/badge/${path.slice('/c/'.length)}.svg`)).status).toBe(404);
    await act('unhide');
    expect(verdictOf(await ask(verifier.url, path))).toBe('VERIFIED');
  });

  it('come with a key history signed by the root', async () => {
    const { text } = await ask(verifier.url, '/keys');
    expect(text).toContain('data-history="signed"');
    expect(text.match(/data-change="key-(?:added|activated)"/g)).toHaveLength(2);
  });

  it('lists them by execution id', async () => {
    const page = await ask(verifier.url, '/e/run-1');
    expect(page.text).toContain(`href="${paths.get('plain') ?? ''}"`);
  });

  it('gives working OpenSSL commands for this certificate', async () => {
    const { text } = await ask(verifier.url, paths.get('plain') ?? '');
    const block = (id: string): string =>
      decoded(new RegExp(`<pre id="${id}"[^>]*>([^]*?)</pre>`).exec(text)?.[1] ?? '');
    const run = (script: string): string =>
      execFileSync('bash', ['-c', `set -e; cd "$(mktemp -d)"; ${script}`], { encoding: 'utf8' });
    const hash = decodeURIComponent(paths.get('plain')?.slice('/c/'.length) ?? '').slice('sha256:'.length);
    expect(run(block('hash-command'))).toContain(hash);
    const fingerprint = /<dt>Key fingerprint<\/dt><dd><code class="hash">sha256:([0-9a-f]{64})/.exec(text)?.[1];
    const printed = run(block('signature-command'));
    expect(printed).toContain(fingerprint);
    expect(printed).toContain('Signature Verified Successfully');
  });
});

function decoded(html: string): string {
  return html.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

describeInChromium('records of a real node in Chromium', (chromium) => {
  beforeAll(() => chromium.start());
  afterAll(() => chromium.stop());

  it('is trusted only under the pinned root', async () => {
    const watched = await chromium.open();
    await watched.page.goto(`${verifier.url}/keys`);
    await watched.page.waitForSelector('input[name="confirm-root"]');
    await watched.page.click('input[name="confirm-root"]');
    await watched.page.waitForSelector('[data-pin-state="confirmed"]');
    await watched.page.goto(`${verifier.url}${paths.get('plain') ?? ''}`);
    await watched.page.waitForSelector('[data-checked-by="browser"][data-verdict="VERIFIED"][data-tone="good"]');
    expect(await watched.text('#details')).toContain('Vouched for by root');
    await watched.close();
  });

  it.each(CASES)('%s: the browser itself finds %s', async (name, verdict) => {
    const watched = await chromium.open();
    await watched.page.goto(`${verifier.url}${paths.get(name) ?? ''}`);
    await watched.page.waitForSelector(`[data-checked-by="browser"][data-verdict="${verdict}"][data-tone="good"]`);
    expect(watched.requests.some((url) => url.startsWith(`${node.url}/v1/`))).toBe(true);
    expect(watched.complaints).toEqual([]);
    await watched.close();
  });
});
