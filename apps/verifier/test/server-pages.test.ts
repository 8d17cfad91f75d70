import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@cer/canonical-json';
import { recordedLog } from '@cer/http-service/testing';
import { testKeySet } from '@cer/keys/testing';
import { TEST_NODE_ID, TEST_SIGNER } from '@cer/cer-core/testing';
import { ask, toneOf, verdictOf, type Answer } from './ask.js';
import { hostileStrings } from './hostile.js';
import {
  changed,
  confidential,
  hashOf,
  lookupAnswer,
  plain,
  project,
  projectHashOf,
  registered,
  sealedOnly,
} from './records.js';
import { certificatePath, KEY_SET_PATH, projectPath, startStubNode, type StubNode } from './stub-node.js';
import { PUBLIC_URL, startVerifier, type VerifierUnderTest } from './verifier-under-test.js';

// Every page as a visitor without JavaScript gets it.

let node: StubNode;
let verifier: VerifierUnderTest;
let record: JsonObject;
let hash: string;

beforeAll(async () => {
  node = await startStubNode();
  verifier = await startVerifier({ nodeUrl: node.url, publicNodeUrl: 'https://node.example' });
  record = await plain();
  hash = hashOf(record);
  publish(record);
});

afterAll(async () => {
  await verifier.close();
  await node.close();
});

function publish(cer: JsonObject, under = hashOf(cer)): string {
  node.answers.set(certificatePath(under), { status: 200, body: lookupAnswer(cer) });
  return `/c/${encodeURIComponent(under)}`;
}

describe('the page of a certificate', () => {
  it("shows the server's verdict, three layers and the facts", async () => {
    const page = await ask(verifier.url, `/c/${encodeURIComponent(hash)}`);
    expect(page.status).toBe(200);
    expect([verdictOf(page), toneOf(page)]).toEqual(['VERIFIED', 'good']);
    expect(page.text.match(/data-layer="[a-z]+" data-status="PASS"/g)).toHaveLength(3);
    for (const shown of [
      hash,
      TEST_NODE_ID,
      'exec-plain',
      'svc-v1',
      'approved',
      'stated by the producer',
      TEST_SIGNER.kid,
    ]) {
      expect(page.text).toContain(shown);
    }
    expect(page.text).toContain('openssl pkeyutl -verify');
  });

  it.each([
    ['/keys/', '/keys'],
    [`/c/sha256%3A${'0'.repeat(64)}/`, `/c/sha256%3A${'0'.repeat(64)}`],
    [`/c/sha256:${'0'.repeat(64)}/?a=b%26c`, `/c/sha256:${'0'.repeat(64)}?a=b%26c`],
    [`/p/sha256:${'0'.repeat(64)}/`, `/p/sha256:${'0'.repeat(64)}`],
  ])('redirects %s to the page', async (path, target) => {
    const answer = await ask(verifier.url, path);
    expect([answer.status, answer.headers['location']]).toEqual([301, target]);
  });

  it.each(['//evil.example/', '/nowhere/', '/c//', `/c/sha256:${'0'.repeat(64)}//`])(
    'redirects %s nowhere',
    async (path) => {
      const answer = await ask(verifier.url, path);
      expect([answer.status, answer.headers['location']]).toEqual([404, undefined]);
    },
  );

  it('accepts a bare and an encoded colon', async () => {
    const [encoded, bare] = await Promise.all([
      ask(verifier.url, `/c/${hash.replace(':', '%3A')}`),
      ask(verifier.url, `/c/${hash}`),
    ]);
    expect([verdictOf(encoded), verdictOf(bare)]).toEqual(['VERIFIED', 'VERIFIED']);
  });

  it('reports the changed member with both hashes', async () => {
    const path = publish(changed(record, ['snapshot', 'model'], 'another-model'), hash);
    const page = await ask(verifier.url, path);
    publish(record);
    expect([verdictOf(page), toneOf(page)]).toEqual(['FAILED', 'bad']);
    expect(page.text).toContain('CERTIFICATE_HASH_MISMATCH');
    expect(page.text).toMatch(new RegExp(`Expected.*${hash}.*Computed.*sha256:`, 's'));
  });

  it('fails for another valid certificate', async () => {
    const other = await confidential();
    const page = await ask(verifier.url, publish(other, `sha256:${'0'.repeat(64)}`));
    expect(verdictOf(page)).toBe('FAILED');
    expect(page.text).toContain('is another certificate than the one asked for');
  });

  it('shows confidential, never green without a receipt', async () => {
    const sealedBundle = sealedOnly();
    node.answers.set(certificatePath(hashOf(sealedBundle)), { status: 200, body: sealedBundle });
    const [secret, unsigned] = await Promise.all([
      ask(verifier.url, publish(await confidential())),
      ask(verifier.url, `/c/${hashOf(sealedBundle)}`),
    ]);
    expect([verdictOf(secret), toneOf(secret)]).toEqual(['VERIFIED_CONFIDENTIAL', 'good']);
    expect([verdictOf(unsigned), toneOf(unsigned)]).toEqual(['VERIFIED', 'neutral']);
    expect(unsigned.text).toContain('signed by no node');
  });

  it('never shows raw input or output', async () => {
    const raw = changed(record, ['snapshot'], {
      ...(record['snapshot'] as JsonObject),
      input: 'SECRET-INPUT',
      output: { text: 'SECRET-OUTPUT' },
    });
    const page = await ask(verifier.url, publish(raw, hash));
    publish(record);
    expect(verdictOf(page)).toBe('FAILED');
    expect(page.text).not.toMatch(/SECRET-(?:IN|OUT)PUT(?!_)/);
  });

  it('distinguishes not found, unreachable and malformed', async () => {
    const missing = await ask(verifier.url, `/c/sha256:${'1'.repeat(64)}`);
    expect([missing.status, verdictOf(missing)]).toEqual([404, 'NOT_FOUND']);
    node.answers.set(certificatePath(`sha256:${'2'.repeat(64)}`), 'hang-up');
    const down = await ask(verifier.url, `/c/sha256:${'2'.repeat(64)}`);
    expect([down.status, verdictOf(down), toneOf(down)]).toEqual([503, 'UNAVAILABLE', 'unknown']);
    const malformed = await ask(verifier.url, '/c/sha256:ABC');
    expect([malformed.status, verdictOf(malformed)]).toEqual([404, undefined]);
    const nothing = await ask(verifier.url, '/nothing/here');
    expect([nothing.status, nothing.headers['cache-control'], nothing.headers['vary']]).toEqual([
      404,
      'no-cache',
      'Accept',
    ]);
    expect(nothing.headers['etag']).toMatch(/^W\/"/);
  });

  it('answers a JSON request with the report', async () => {
    const report = await ask(verifier.url, `/c/${hash}`, { accept: 'application/json' });
    expect(report.headers['content-type']).toContain('application/json');
    expect(JSON.parse(report.text)).toMatchObject({
      status: 'VERIFIED',
      checks: { bundleIntegrity: 'PASS', nodeSignature: 'PASS', receiptConsistency: 'PASS', envelope: 'PASS' },
      reasonCodes: [],
      certificateHash: hash,
      verifier: '@cer/verifier/0.1.0',
    });
    const missing = await ask(verifier.url, `/c/sha256:${'1'.repeat(64)}`, { accept: 'application/json' });
    expect([missing.status, JSON.parse(missing.text)]).toMatchObject([
      404,
      { status: 'NOT_FOUND', reasonCodes: ['RECORD_NOT_FOUND'] },
    ]);
    for (const [path, accept] of [
      ['/c/sha256:ABC', 'application/json'],
      ['/c/sha256:ABC', 'text/html;q=0, Application/JSON'],
      ['/c/sha256:ABC', 'text/html;q=0.5, application/json'],
      ['/p/sha256:ABC/report.json', 'text/html'],
    ] as const) {
      const malformed = await ask(verifier.url, path, { accept });
      expect([malformed.status, JSON.parse(malformed.text)]).toMatchObject([
        404,
        { error: 'NOT_FOUND', message: 'hash: must be sha256: and 64 lower-case hex digits' },
      ]);
    }
  });
});

describe('caching', () => {
  it.each([60_000, -60_000])('caches a verdict until record or keys change, the clock moved by %d', async (moved) => {
    let time = Date.now();
    const own = await startVerifier({ nodeUrl: node.url, now: () => new Date(time) });
    const first = await ask(own.url, `/c/${hash}`);
    expect(first.headers).toMatchObject({ 'cache-control': 'no-cache', vary: 'Accept' });
    const etag = first.headers['etag'] ?? '';
    expect((await ask(own.url, `/c/${hash}`, { 'if-none-match': etag })).status).toBe(304);
    const before = node.answers.get(KEY_SET_PATH);
    const revoked = testKeySet({
      nodeId: TEST_NODE_ID,
      signers: [{ signer: TEST_SIGNER, status: 'revoked', revokedAt: '2026-01-03T00:00:00.000Z' }],
    });
    node.answers.set(KEY_SET_PATH, { status: 200, body: revoked });
    time += moved;
    const after = await ask(own.url, `/c/${hash}`, { 'if-none-match': etag });
    if (before !== undefined) node.answers.set(KEY_SET_PATH, before);
    await own.close();
    expect([after.status, verdictOf(after)]).toEqual([200, 'FAILED']);
    expect(after.text).toContain('KEY_REVOKED');
    expect(after.text).toContain('no signature of a node was confirmed');
    expect(after.text).not.toContain('no node has signed it');
  });

  it.each([['/'], ['/keys'], ['/how-it-works'], ['/offline.html'], ['/c/']])(
    '%s: keeps its policy in a 304 answer',
    async (path) => {
      const address = path === '/c/' ? `${path}${hash}` : path;
      const first = await ask(verifier.url, address);
      const again = await ask(verifier.url, address, { 'if-none-match': first.headers['etag'] ?? '' });
      expect(again.status).toBe(304);
      expect(again.headers['content-security-policy']).toBe(first.headers['content-security-policy']);
    },
  );

  it('answers 304 to any tag only where there is a page', async () => {
    const anyTag = { 'if-none-match': '*' };
    expect((await ask(verifier.url, `/c/${hash}`, anyTag)).status).toBe(304);
    expect((await ask(verifier.url, `/c/sha256:${'1'.repeat(64)}`, anyTag)).status).toBe(404);
  });

  it('tags missing pages and badges, caches assets permanently', async () => {
    const missing = await ask(verifier.url, `/c/sha256:${'1'.repeat(64)}`);
    const badge = await ask(verifier.url, `/badge/${hash}.svg`);
    for (const { headers } of [missing, badge]) {
      expect(headers).toMatchObject({
        'cache-control': 'no-cache',
        vary: 'Accept',
        etag: expect.stringMatching(/^W\/"/),
      });
    }
    const script = /src="(\/assets\/site-[0-9a-f]{12}\.js)"/.exec(missing.text)?.[1] ?? '';
    const asset = await ask(verifier.url, script, { 'accept-encoding': 'gzip' });
    expect(asset.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-encoding': 'gzip',
    });
  });
});

describe('safety', () => {
  it('allows no inline script, no third party and no cookie', async () => {
    const { headers, text } = await ask(verifier.url, `/c/${hash}`);
    const policy = headers['content-security-policy'] ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("connect-src 'self' https://node.example;");
    expect(policy).not.toContain('unsafe');
    expect(headers['set-cookie']).toBeUndefined();
    expect(text).not.toMatch(/<script(?![^>]*(?:src=|type="application\/json"))/);
    expect(text).not.toMatch(/ style="| on[a-z]+="/);
  });

  it('ignores Host in absolute addresses', async () => {
    const { text } = await ask(verifier.url, `/c/${hash}`, {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
    });
    expect(text).not.toContain('evil.example');
    expect(text).toContain(`property="og:url" content="${PUBLIC_URL}/c/${encodeURIComponent(hash)}"`);
  });

  it('connects only to the configured node', async () => {
    const other = await startStubNode();
    for (const query of [
      `${other.url}/c/${hash}`,
      `${other.url}/x`,
      `//${other.url}`,
      '../../admin',
      'http://169.254.169.254/',
    ]) {
      const answer = await ask(verifier.url, `/lookup?q=${encodeURIComponent(query)}`);
      expect(answer.status).toBe(303);
      expect(answer.headers['location']).toMatch(/^\/(?:[cpe]\/|$)/);
      await ask(verifier.url, answer.headers['location'] ?? '/');
    }
    expect(other.requests).toEqual([]);
    await other.close();
  });

  it('excludes records from search engines', async () => {
    const robots = await ask(verifier.url, '/robots.txt');
    expect(robots.text).toMatch(/^User-agent: \*\n(?:Disallow: \/(?:c|p|e)\/\n){3}/);
    const isKept = async (path: string): Promise<boolean> =>
      (await ask(verifier.url, path)).text.includes('<meta name="robots" content="noindex"/>');
    expect(await isKept(`/c/${hash}`)).toBe(true);
    expect(await isKept('/e/exec-plain')).toBe(true);
    expect(await isKept('/how-it-works')).toBe(false);
  });

  it('lets sites show the preview of a link to a record', async () => {
    const { text } = await ask(verifier.url, '/robots.txt');
    const [, ...groups] = text.trimEnd().split('\n\n');
    const [previews = ''] = groups;
    expect(groups).toHaveLength(1);
    expect(previews).toContain('User-agent: Twitterbot\nUser-agent: LinkedInBot\n');
    expect(previews.split('\n').filter((line) => !line.startsWith('User-agent: '))).toEqual([
      'Disallow: /e/',
      'Disallow: /lookup',
    ]);
  });

  it('limits the page requests of a client', async () => {
    const limited = await startVerifier({ nodeUrl: node.url, rateLimitPerMinute: 3 });
    const statuses: number[] = [];
    for (let count = 0; count < 5; count += 1) statuses.push((await ask(limited.url, '/')).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    const refused = await ask(limited.url, '/');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(refused.headers).toMatchObject({ 'cache-control': 'no-store', 'content-type': 'text/html; charset=utf-8' });
    expect(refused.text).toContain(`data-retry-after="${refused.headers['retry-after'] ?? ''}"`);
    for (const accept of ['application/json', '*/*', '*/*, text/html;q=0', 'text/html-fragment']) {
      const answer = await ask(limited.url, '/', { accept });
      expect(answer.headers['content-type']).toContain('application/json');
      expect(JSON.parse(answer.text)).toEqual({ error: 'RATE_LIMITED', requestId: answer.headers['x-request-id'] });
    }
    expect((await ask(limited.url, '/health')).status).toBe(200);
    await limited.close();
  });

  it('refuses a query that is not UTF-8 by a page', async () => {
    for (const path of ['/', `/c/${hash}`, '/lookup', '/log', '/log/']) {
      const page = await ask(verifier.url, `${path}?q=%ff`);
      expect([page.status, page.headers['content-type']]).toEqual([400, 'text/html; charset=utf-8']);
      expect(page.headers).toMatchObject({ vary: 'Accept', 'content-security-policy': expect.any(String) });
      expect(page.text).toContain('q: must be percent-encoded UTF-8.');
    }
    const program = await ask(verifier.url, '/log?q=%ff', { accept: '*/*' });
    expect([program.status, JSON.parse(program.text)]).toMatchObject([400, { error: 'VALIDATION_ERROR' }]);
  });

  it('logs and limits unknown paths', async () => {
    const { logger, lines } = recordedLog();
    const limited = await startVerifier({ nodeUrl: node.url, rateLimitPerMinute: 3, logger });
    const answers: Answer[] = [];
    for (let count = 0; count < 4; count += 1) answers.push(await ask(limited.url, '/secret-path'));
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 429]);
    const requestId = answers[0]?.headers['x-request-id'];
    expect(lines.map((line): unknown => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ requestId, route: '(unmatched)', status: 404 }),
    );
    expect(lines.join('')).not.toContain('secret-path');
    await limited.close();
  });

  it('counts requests by route, method and status', async () => {
    await ask(verifier.url, '/keys');
    await ask(verifier.url, '/secret-path');
    const { status, text } = await ask(verifier.url, '/metrics');
    expect(status).toBe(200);
    expect(text).toMatch(/^http_request_duration_seconds_count\{route="\/keys",method="GET",status="2xx"\} [1-9]/m);
    expect(text).toMatch(/_count\{route="\(unmatched\)",method="ANY",status="4xx"\} [1-9]/);
    expect(text).not.toContain('secret-path');
  });
});

describe('the page of a project', () => {
  it('shows every step and the receipt of the node', async () => {
    const bundle = await project(3);
    const projectHash = projectHashOf(bundle);
    node.answers.set(projectPath(projectHash), { status: 200, body: { ok: true, ...bundle } });
    const page = await ask(verifier.url, `/p/${encodeURIComponent(projectHash)}`);
    expect([page.status, verdictOf(page), toneOf(page)]).toEqual([200, 'VERIFIED', 'good']);
    expect(page.text.match(/data-step="step-/g)).toHaveLength(3);
    expect(page.text).toContain('Quarterly report');
  });

  it('marks the step whose content was changed', async () => {
    const bundle = await project(3);
    const projectHash = projectHashOf(bundle);
    const tampered = changed(bundle, ['embeddedBundles', 'step-2', 'snapshot', 'model'], 'other');
    node.answers.set(projectPath(projectHash), { status: 200, body: await registered(tampered) });
    const page = await ask(verifier.url, `/p/${projectHash}`);
    expect(verdictOf(page)).toBe('FAILED');
    expect(page.text).toMatch(/class="faulty" data-step="step-2"/);
  });
});

describe('other pages', () => {
  it('lists the records of an execution id without a verdict', async () => {
    node.answers.set('/v1/cer/public?execution_id=exec%2Fplain', {
      status: 200,
      body: { ...lookupAnswer(record), matchedBy: 'executionId', otherMatches: [`sha256:${'3'.repeat(64)}`, 'junk'] },
    });
    const page = await ask(verifier.url, '/e/exec%2Fplain');
    expect(page.status).toBe(200);
    expect(page.text.match(/href="\/c\/sha256%3A[0-9a-f]{64}"/g)).toHaveLength(2);
    expect(verdictOf(page)).toBeUndefined();
    expect((await ask(verifier.url, '/e/unknown')).status).toBe(404);
  });

  it('shows keys, explanation, start page, readiness', async () => {
    const keys = await ask(verifier.url, '/keys');
    expect(keys.text).toContain(TEST_SIGNER.kid);
    expect(keys.text).toMatch(/sha256:[0-9a-f]{64}/);
    const how = (await ask(verifier.url, '/how-it-works')).text;
    expect(how).toContain('It does not prove');
    expect(how).toContain('npx cer');
    expect((await ask(verifier.url, '/log')).text).toMatch(/These proofs do not show<\/h2>.*That every execution/s);
    for (const path of ['/', '/log']) expect((await ask(verifier.url, path)).text).toMatch(/<input[^>]* required/);
    expect((await ask(verifier.url, '/')).text).toContain('action="/lookup"');
    expect((await ask(verifier.url, '/ready')).status).toBe(200);
  });

  it('has a badge for attested records only', async () => {
    const good = await ask(verifier.url, `/badge/${encodeURIComponent(hash)}.svg`);
    expect([good.status, good.headers['content-type']]).toEqual([200, 'image/svg+xml; charset=utf-8']);
    expect(good.text).toContain(`attested ${hash.slice(7, 15)}`);
    const sealedBundle = sealedOnly();
    node.answers.set(certificatePath(hashOf(sealedBundle)), { status: 200, body: sealedBundle });
    expect((await ask(verifier.url, `/badge/${hashOf(sealedBundle)}.svg`)).status).toBe(404);
  });

  it('reports an unreachable node when saving a record', async () => {
    node.answers.set(certificatePath(`sha256:${'6'.repeat(64)}`), 'hang-up');
    const away = await ask(verifier.url, `/c/sha256:${'6'.repeat(64)}/offline.html`);
    expect([away.status, away.headers['content-disposition']]).toEqual([503, undefined]);
    expect((await ask(verifier.url, `/c/sha256:${'7'.repeat(64)}/offline.html`)).status).toBe(404);
  });

  it('takes no part of a longer word for a hash', async () => {
    for (const query of [`sha256:${'a'.repeat(65)}`, `sha256:${'a'.repeat(64)}g`, `x sha256%3a${'0'.repeat(70)}`]) {
      const answer = await ask(verifier.url, `/lookup?q=${encodeURIComponent(query)}`);
      expect(answer.headers['location']).toMatch(/^\/e\//);
    }
  });

  it('escapes record and keys in a saved file', async () => {
    const hostile = await plain();
    const meta = { ...(hostile['meta'] as JsonObject), metadata: { team: '</script><script>alert(1)</script>' } };
    const path = publish({ ...hostile, meta });
    const saved = await ask(verifier.url, `${path}/offline.html`);
    publish(record);
    const asBuilt = await ask(verifier.url, '/offline.html');
    const block = /<script type="application\/json" id="saved-record">([^<]*)<\/script>/.exec(saved.text);
    expect(saved.text.replace(block?.[0] ?? '', '')).toBe(asBuilt.text);
    expect(JSON.parse(block?.[1] ?? '')).toMatchObject({ hash, keySet: expect.stringContaining(TEST_SIGNER.kid) });
    expect(asBuilt.text).not.toContain('saved-record"');
  });
});

it('shows a hundred hostile strings as text', async () => {
  const hostile = hostileStrings(100);
  const cer = await plain();
  const snapshot = {
    ...(cer['snapshot'] as JsonObject),
    provider: hostile[0],
    model: hostile[1],
    parameters: { list: hostile },
  };
  const signals = hostile.map((text) => ({ type: text, source: text, payload: { text, [text]: text } }));
  const page = await ask(verifier.url, publish({ ...cer, snapshot, context: { signals } }, hash));
  publish(record);
  expect(verdictOf(page)).toBe('FAILED');
  expect(page.text).not.toMatch(
    /<(?:img|iframe|svg\/|object|embed|base|meta http)[^>]*(?:onerror|onload|alert|javascript)/i,
  );
  expect(page.text.match(/<script/g)).toHaveLength(2);
  expect(page.text).toContain('&lt;img src=x onerror=alert(1)>');
});
