import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isJsonObject, parseJson } from '@cer/canonical-json';
import { buildProject } from '@cer/cer-core/seal';
import { describeInChromium } from '@cer/test-browser';
import { createOpensslTsa, serveTsa, type OpensslTsa, type ServedTsa } from '@cer/timestamps/testing';
import { namedMetrics, publishedMetrics } from './monitoring.js';
import { freeBase, PATIENCE_MS, root, Start, type Services } from './npm-start.js';
import { OFFLINE_FILE, reportOffline } from './offline-file.js';
import { drawPanels, missingPrometheus } from './prometheus.js';

// The tour of the README, and a sketch from code to certificate, on the services of one `npm start`.

const folder = mkdtempSync(join(tmpdir(), 'cer-journey-'));
const dataDir = join(folder, 'data');
const own = (name: string): string => join(folder, name);

interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function cer(...args: readonly string[]): Promise<Said> {
  return new Promise((resolve) => {
    const env = { ...process.env, CER_NODE_URL: services.node.url, CER_API_KEY: services.apiKey };
    execFile(process.execPath, [join(root, 'apps/cli/bin/cer.js'), ...args], { env }, (error, stdout, stderr) => {
      // A signal that ends it leaves no number.
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, stdout, stderr });
    });
  });
}

function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${services.node.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${services.apiKey}`, ...headers },
    body: JSON.stringify(body),
  });
}

function sha256(data: string | Uint8Array): string {
  return `sha256:${createHash('sha256').update(data).digest('hex')}`;
}

/** An answer without what the transparency log and the time-stamping authority added since the first one. */
function withoutLaterProofs(answer: string): unknown {
  return JSON.parse(answer, (name, value: unknown) => {
    const isTimestamp = name === 'timestamps' || (name === 'timestamp' && typeof value === 'object');
    return name === 'logProofs' || isTimestamp ? undefined : value;
  });
}

interface PublicRecord {
  readonly certificateHash: string;
  readonly canonical: {
    readonly certificate: { readonly canonicalPayload: string; readonly certificateHash: string };
    readonly receipt: { readonly canonicalPayload: string; readonly signature: string; readonly kid: string };
  };
}

async function lookUp(certificateHash: string): Promise<PublicRecord> {
  const response = await fetch(
    `${services.node.url}/v1/cer/public?certificate_hash=${encodeURIComponent(certificateHash)}`,
  );
  expect(response.status).toBe(200);
  return (await response.json()) as PublicRecord;
}

let started: Start;
let services: Services;
let authority: OpensslTsa;
let tsa: ServedTsa;

beforeAll(async () => {
  authority = createOpensslTsa({ name: 'Journey Time Authority' });
  tsa = await serveTsa((query) => authority.reply(query));
  const withTimestamps = { TSA_URLS: tsa.url, TSA_ROOTS_FILE: authority.rootFile };
  started = new Start(dataDir, await freeBase(), withTimestamps);
  services = await started.services(dataDir);
}, PATIENCE_MS);

afterAll(async () => {
  expect(await started.interrupt()).toBe(0);
  await tsa.close();
  authority.remove();
  rmSync(folder, { recursive: true });
}, PATIENCE_MS);

describe('a model call', () => {
  const secret = 'the raw words that no service may store';
  let certificateHash: string;

  it('is certified, and its repetition is replayed', async () => {
    const request = {
      executionId: 'journey-1',
      provider: 'example',
      model: 'example-1',
      input: secret,
      output: `no, ${secret}`,
    };
    writeFileSync(own('execution.json'), JSON.stringify(request));
    const first = await cer('certify', own('execution.json'));
    expect(first).toMatchObject({ code: 0, stderr: '' });
    writeFileSync(own('certificate.json'), first.stdout);
    const again = await cer('certify', own('execution.json'));
    expect(withoutLaterProofs(again.stdout)).toEqual(withoutLaterProofs(first.stdout));
    ({ certificateHash } = JSON.parse(first.stdout) as PublicRecord);

    writeFileSync(own('changed.json'), JSON.stringify({ ...request, output: 'yes' }));
    const changed = await cer('certify', own('changed.json'));
    expect(changed.code).toBe(1);
    expect(JSON.parse(changed.stderr)).toMatchObject({ httpStatus: 409, reason: 'EXECUTION_MUTATION_DETECTED' });
  });

  it('verifies offline with a saved key set', async () => {
    const keys = await fetch(`${services.node.url}/.well-known/svc-node.json`);
    writeFileSync(own('keys.json'), await keys.text());
    const verified = await cer('verify', own('certificate.json'), '--keys', own('keys.json'));
    expect(verified.code).toBe(0);
    expect(verified.stdout).toMatch(/^VERIFIED\n/);
    const tampered = readFileSync(own('certificate.json'), 'utf8').replaceAll('example-1', 'example-2');
    writeFileSync(own('tampered.json'), tampered);
    expect((await cer('verify', own('tampered.json'), '--keys', own('keys.json'))).code).toBe(1);
  });

  it('is found by its hash', async () => {
    const found = await cer('lookup', certificateHash);
    expect(found.code).toBe(0);
    writeFileSync(own('record.json'), found.stdout);
    expect((await cer('verify', own('record.json'), '--keys', services.node.url)).code).toBe(0);
    expect((await cer('verify', '--hash', certificateHash, '--node', services.node.url)).stdout).toMatch(/^VERIFIED\n/);
    const missing = await cer('verify', '--hash', `sha256:${'0'.repeat(64)}`, '--node', services.node.url);
    expect(missing).toMatchObject({ code: 2, stderr: '' });
    expect(missing.stdout).toMatch(/^NOT FOUND/);
    expect((await cer('lookup', `sha256:${'0'.repeat(64)}`)).code).toBe(2);
  });

  it('is reported with both hashes when its public form differs', async () => {
    writeFileSync(
      own('withheld.json'),
      JSON.stringify({
        ...{ executionId: 'journey-withheld', provider: 'example', model: 'example-1', input: 'i', output: 'o' },
        parameters: { temperature: 0, secret: 'a withheld member' },
      }),
    );
    const { stdout } = await cer('certify', own('withheld.json'));
    const { certificateHash: asked } = JSON.parse(stdout) as PublicRecord;
    const { code, stdout: report } = await cer('verify', '--hash', asked, '--node', services.node.url, '--json');
    expect([code, JSON.parse(report)]).toEqual([
      0,
      expect.objectContaining({
        status: 'VERIFIED',
        originalCertificateHash: asked,
        certificateHash: expect.not.stringContaining(asked),
      }),
    ]);
  });

  it('is confirmed by sha256sum and openssl alone', async () => {
    const { canonical } = await lookUp(certificateHash);
    writeFileSync(own('canonical.txt'), canonical.certificate.canonicalPayload);
    writeFileSync(own('receipt.txt'), canonical.receipt.canonicalPayload);
    writeFileSync(own('receipt.sig'), Buffer.from(canonical.receipt.signature, 'base64url'));
    const { keys } = JSON.parse(readFileSync(own('keys.json'), 'utf8')) as {
      readonly keys: readonly { readonly kid: string; readonly publicKey: string }[];
    };
    const key = keys.find(({ kid }) => kid === canonical.receipt.kid);
    writeFileSync(own('key.der'), Buffer.from(key?.publicKey ?? '', 'base64'));
    const sum = execFileSync('sha256sum', [own('canonical.txt')], { encoding: 'utf8' });
    expect(`sha256:${sum.slice(0, 64)}`).toBe(certificateHash);
    const checked = execFileSync(
      'openssl',
      [
        'pkeyutl',
        '-verify',
        '-pubin',
        '-keyform',
        'DER',
        '-inkey',
        own('key.der'),
        '-rawin',
        '-in',
        own('receipt.txt'),
        '-sigfile',
        own('receipt.sig'),
      ],
      { encoding: 'utf8' },
    );
    expect(checked).toContain('Signature Verified Successfully');
  });

  it('is attested after sealing and joins a project', async () => {
    const bundle = readFileSync(join(root, 'examples/certificates/sealed.json'), 'utf8');
    writeFileSync(own('sealed.json'), bundle);
    const attested = await cer('attest', own('sealed.json'));
    expect(attested.code).toBe(0);
    const step = parseJson(bundle);
    if (!isJsonObject(step)) throw new Error('a bundle is an object');
    const execution = readFileSync(join(root, 'examples/certificates/execution.json'), 'utf8');
    writeFileSync(own('local.json'), execution.replace('chatcmpl-synthetic-0001', 'journey-local'));
    const local = parseJson((await cer('seal', own('local.json'))).stdout);
    if (!isJsonObject(local)) throw new Error('a bundle is an object');
    const steps = [step, local].map((bundle, at) => ({ stepId: `step-${at}`, bundle }));
    const project = buildProject({ projectTitle: 'Journey' }, steps);
    writeFileSync(own('project.json'), JSON.stringify(project));
    const refused = await cer('register-project', own('project.json'));
    expect([refused.code, JSON.parse(refused.stderr)]).toMatchObject([
      1,
      { reason: 'ATTESTATION_MISSING', missingSteps: [{ index: 1, stepId: 'step-1' }] },
    ]);
    const registered = await cer('register-project', own('project.json'), '--attest-steps');
    expect(registered).toMatchObject({ code: 0, stderr: 'cer: attested 1 step\n' });
    const { projectHash } = JSON.parse(registered.stdout) as { readonly projectHash: string };
    const shown = await fetch(
      `${services.node.url}/v1/project-bundle/public?project_hash=${encodeURIComponent(projectHash)}`,
    );
    writeFileSync(own('public-project.json'), await shown.text());
    expect((await cer('verify-project', own('public-project.json'), '--keys', own('keys.json'))).code).toBe(0);
  });

  it('of 128 levels is attested, and its saved answer verifies', async () => {
    const execution = readFileSync(join(root, 'examples/certificates/execution.json'), 'utf8');
    writeFileSync(own('shallow.json'), execution.replace('chatcmpl-synthetic-0001', 'journey-deep'));
    const text = (await cer('seal', own('shallow.json'))).stdout;
    const nested = (levels: number): string =>
      text.replace(/^\{/, `{"extra":${'['.repeat(levels)}${']'.repeat(levels)},`);
    writeFileSync(own('deep.json'), nested(127));
    const attested = await cer('attest', own('deep.json'));
    expect(attested).toMatchObject({ code: 0, stderr: '' });
    writeFileSync(own('deep-attested.json'), attested.stdout);
    const verified = await cer('verify', own('deep-attested.json'), '--keys', own('keys.json'), '--json');
    expect([verified.code, JSON.parse(verified.stdout)]).toMatchObject([0, { status: 'VERIFIED' }]);
    writeFileSync(own('deeper.json'), nested(128));
    const refused = await cer('attest', own('deeper.json'));
    expect([refused.code, JSON.parse(refused.stderr)]).toMatchObject([1, { httpStatus: 400 }]);
  });

  it('leaves no raw input in the data folder', () => {
    const files = filesIn(dataDir);
    expect(files.length).toBeGreaterThan(5);
    for (const file of files)
      expect({ file, holdsSecret: readFileSync(file).includes(secret) }).toEqual({ file, holdsSecret: false });
  });

  it('is shown as verified by the public verifier', async () => {
    const page = await fetch(`${services.verifier.url}/c/${encodeURIComponent(certificateHash)}`);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('data-verdict="VERIFIED"');
  });

  it("is in the log that the verifier's page shows", async () => {
    const url = `${services.verifier.url}/log?certificate_hash=${encodeURIComponent(certificateHash)}`;
    const shown = async (): Promise<string> => (await fetch(url)).text();
    // The witness signs every second: the first page may be too early.
    let page = await shown();
    for (; !page.includes('The last hash is the root'); page = await shown()) await sleep(200);
    expect(page).toContain('Witnessed by operators-own.');
  });
});

describe('a sketch', () => {
  const code = 'function setup() { background(20, 40, 80); fill(255, 180, 0); circle(975, 1200, 600 + VAR[0] * 4); }';

  it('becomes a PNG or explains the missing renderer', async () => {
    const response = await post('/api/render', { code, seed: 'journey', VAR: [10] });
    if (services.renderer === undefined) {
      process.stderr.write('no browser on this machine: rendering is only checked to answer 503\n');
      expect(response.status).toBe(503);
      return;
    }
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('image/png');
    const png = new Uint8Array(await response.arrayBuffer());
    expect(sha256(png)).toBe(response.headers.get('x-runtime-hash'));
  });

  it('is certified, replayed and verified', async () => {
    const request = { snapshot: { code, seed: 'journey', vars: [10] } };
    if (services.renderer === undefined) {
      expect((await post('/verify', request)).status).toBe(503);
      return;
    }
    const first = (await (await post('/verify', request)).json()) as VerifyAnswer;
    expect(first).toMatchObject({ verified: true, mode: 'static', protocolCompliant: true });
    const again = await post('/verify', { ...request, expectedHash: first.computedPixelHash });
    expect(again.headers.get('x-idempotent-replay')).toBe('true');
    expect(await again.json()).toMatchObject({ certificateHash: first.certificateHash, hashMatchType: 'pixels' });
    const other = await post('/verify', { ...request, expectedHash: sha256('another picture') });
    expect(await other.json()).toMatchObject({ verified: false });
    writeFileSync(own('render.json'), JSON.stringify(first.cer));
    expect((await cer('verify', own('render.json'), '--keys', own('keys.json'))).code).toBe(0);
  });

  it('becomes a picture that carries its certificate', async () => {
    const request = { code, seed: 'journey', VAR: [10], certify: true };
    const response = await post('/api/render', request);
    if (services.renderer === undefined) {
      expect(response.status).toBe(503);
      return;
    }
    expect(response.headers.get('x-idempotent-replay')).toBe('true');
    writeFileSync(own('certified.png'), new Uint8Array(await response.arrayBuffer()));
    const verified = await cer('verify', own('certified.png'), '--keys', own('keys.json'), '--json');
    expect([verified.code, JSON.parse(verified.stdout)]).toMatchObject([
      0,
      { status: 'VERIFIED', picture: { imageHash: response.headers.get('x-runtime-hash'), isCertified: true } },
    ]);
    const other = await post('/api/render', { ...request, certify: false, VAR: [11] });
    writeFileSync(own('other.png'), new Uint8Array(await other.arrayBuffer()));
    expect(
      (await cer('embed', own('other.png'), '--certificate', own('render.json'), '--out', own('no.png'))).code,
    ).toBe(1);
  });

  it('runs as a loop that reports progress', async () => {
    const code = 'function draw() { background(t * 255); }';
    const loop = { snapshot: { code, seed: 'journey', vars: [], execution: { mode: 'loop', totalFrames: 6 } } };
    const response = await post('/verify', loop, { accept: 'text/event-stream' });
    if (services.renderer === undefined) {
      expect(response.status).toBe(503);
      return;
    }
    const events = await response.text();
    expect(events).toMatch(/event: progress\ndata: \{"framesDone":/);
    const result = /event: result\ndata: (.*)\n/.exec(events)?.[1] ?? '{}';
    expect(JSON.parse(result)).toMatchObject({ verified: true, mode: 'loop', metadata: { frames: 6 } });
  });
});

describeInChromium('the offline file of the verifier', () => {
  it('reports receipt, token, log and witness while offline', async () => {
    const [request, certified, keys] = [own('logged-execution.json'), own('logged.json'), own('logged-keys.json')];
    const execution = {
      executionId: 'journey-logged',
      provider: 'example',
      model: 'example-1',
      input: 'a',
      output: 'b',
    };
    writeFileSync(request, JSON.stringify(execution));
    writeFileSync(keys, await (await fetch(`${services.node.url}/.well-known/svc-node.json`)).text());
    const isWhole = (text: string): boolean => ['"logProofs"', '"timestamps"'].every((name) => text.includes(name));
    const certify = async (): Promise<string> => {
      const { code, stdout } = await cer('certify', request);
      expect(code).toBe(0);
      return stdout;
    };
    let text = await certify();
    for (; !isWhole(text); text = await certify()) await sleep(500);
    writeFileSync(certified, text);
    const policy = join(dataDir, 'log-policy.txt');
    const files = { artefact: certified, keys, policy, tsaRoots: authority.rootFile };
    const report = await reportOffline(files);
    expect(report).toMatchObject({ verdict: 'VERIFIED', transparency: 'included', complaints: [] });
    expect(report.facts).toMatch(/T[0-9:.]+Z timestamped by Journey Time Authority/);
    expect(report.facts).toMatch(/Witnessed by operators-own\b/);
    expect(report.requests).toEqual([OFFLINE_FILE]);
  });
});

interface VerifyAnswer {
  readonly certificateHash: string;
  readonly computedPixelHash: string;
  readonly cer: object;
}

function filesIn(path: string): string[] {
  return readdirSync(path).flatMap((name) => {
    const inner = join(path, name);
    return statSync(inner).isDirectory() ? filesIn(inner) : [inner];
  });
}

describe('a release', () => {
  it('has checksums that the node certified', async () => {
    const sums = `${'0'.repeat(64)}  offline.html\n`;
    writeFileSync(own('SHA256SUMS'), sums);
    const env = { ...process.env, CER_NODE_URL: services.node.url, CER_API_KEY: services.apiKey };
    const script = join(root, 'scripts/certify-release.mjs');
    execFileSync(process.execPath, [script, 'v0.0.0', own('SHA256SUMS'), own('SHA256SUMS.cer.json')], { env });
    const bundle = parseJson(readFileSync(own('SHA256SUMS.cer.json'), 'utf8'));
    expect(bundle).toMatchObject({ snapshot: { inputHash: sha256(sums), outputHash: sha256('v0.0.0') } });
    expect((await cer('verify', own('SHA256SUMS.cer.json'), '--keys', services.node.url)).code).toBe(0);
  });
});

describe('monitoring', () => {
  it('asks only for metrics that the services publish', async () => {
    const { node, renderer, bridge, dashboard } = services;
    const published = new Set<string>();
    for (const service of [node, renderer, bridge, dashboard])
      if (service !== undefined)
        for (const name of publishedMetrics(await (await fetch(`${service.url}/metrics`)).text())) published.add(name);
    const named = namedMetrics().filter((name) => renderer !== undefined || !name.startsWith('render_'));
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter((name) => !published.has(name))).toEqual([]);
  });

  it(
    'draws every panel and evaluates every rule',
    async () => {
      const { node, renderer, verifier, bridge, dashboard } = services;
      const found = missingPrometheus();
      if (found !== undefined) {
        process.stderr.write('not run: prometheus is not installed\n');
        expect(found).toMatchObject({ code: 'ENOENT' });
        return;
      }
      const rules = await drawPanels(own('prometheus'), { node, renderer, verifier, bridge, dashboard });
      expect(rules.length).toBeGreaterThan(10);
      expect(rules.filter(({ health, state }) => health === 'err' || state === 'firing')).toEqual([]);
    },
    PATIENCE_MS,
  );
});
