import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  handoffToken,
  startStubControlPlane,
  type StubControlPlane,
  type StubTenant,
  type StubUser,
} from './stub-control-plane.js';
import { sendHandoff, startTestBridge, type TestBridge } from './test-bridge.js';
import type { Ingest } from '../src/store/index.js';

let controlPlane: StubControlPlane;
let bridge: TestBridge;
let tenant: StubTenant;
let user: StubUser;
let clockMs = 0;

beforeAll(async () => {
  controlPlane = await startStubControlPlane();
  bridge = await startTestBridge({
    nodeUrl: 'http://127.0.0.1:9',
    controlPlaneUrl: controlPlane.url,
    now: () => new Date(Date.now() + clockMs),
  });
  tenant = controlPlane.newTenant();
  user = controlPlane.newUser(tenant);
});
afterAll(async () => {
  await bridge.close();
  await controlPlane.close();
});

async function signIn(): Promise<string> {
  const token = handoffToken(controlPlane, {
    tenantId: tenant.tenantId,
    userId: user.id,
    audience: new URL(bridge.url).host,
    claims: { iat: Math.floor((Date.now() + clockMs) / 1000), exp: Math.floor((Date.now() + clockMs) / 1000) + 90 },
  });
  const response = await sendHandoff(bridge.url, token);
  expect(response.status).toBe(200);
  return response.headers.get('set-cookie')?.split(';')[0] ?? '';
}

async function get(
  path: string,
  cookie = '',
): Promise<{ readonly status: number; readonly headers: Headers; readonly text: string }> {
  const response = await fetch(bridge.url + path, { headers: cookie === '' ? {} : { cookie }, redirect: 'manual' });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

function ingest(members: Partial<Ingest>): Ingest {
  return {
    at: '2026-01-02T03:04:05.678Z',
    source: 'otlp',
    outcome: 'certified',
    status: 200,
    executionId: 'e',
    provider: 'openai',
    model: 'gpt-4o',
    certificateHash: 'sha256:abc',
    submittedHash: null,
    verificationUrl: 'https://verify.example/c/sha256%3Aabc',
    reason: null,
    ...members,
  };
}

describe('a page', () => {
  it('without a session leads to Connect', async () => {
    const { status, text } = await get('/');
    expect(status).toBe(200);
    expect(text).toContain('Not connected');
    expect(text).toContain(`${controlPlane.url}/integrations`);
    const send = await get('/send');
    expect([send.status, send.headers.get('location')]).toEqual([303, '/']);
  });

  it('shows user and tenant, without inline scripts', async () => {
    const cookie = await signIn();
    for (const path of ['/', '/send']) {
      const { text, headers } = await get(path, cookie);
      expect(text).toContain(`Tenant ${tenant.tenantId}`);
      expect(text).toContain(user.email);
      expect(headers.get('content-security-policy')).toContain(
        "default-src 'none'; script-src 'self'; style-src 'self'",
      );
      expect(headers.get('cache-control')).toBe('no-store');
      expect(text).not.toMatch(/<script(?![^>]*\bsrc=)|\son[a-z]+=|style=/);
      // The fragment must be gone before anything else happens.
      expect(text.indexOf('handoff.js') + 'handoff'.length).toBe(text.indexOf('.js'));
      expect(/<script src="[^"]*handoff\.js"><\/script>/.test(text)).toBe(true);
    }
  });

  it.each(['/?x=%ff', '/send?x=%ff'])('refuses a query that is not UTF-8: %s', async (path) => {
    const { status, headers, text } = await get(path);
    expect([status, headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
    expect(text).toContain('x: must be percent-encoded UTF-8.');
  });

  it('refers to immutable files', async () => {
    const { text } = await get('/');
    const files = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
    expect(files).toHaveLength(4);
    for (const file of files) {
      const { status, headers } = await get(file);
      expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
    }
  });

  it('shows received values as text', async () => {
    const cookie = await signIn();
    const hostile = '<img src=x onerror=alert(1)>';
    await bridge.store.ingests.record(
      tenant.tenantId,
      [
        ingest({ provider: hostile, executionId: hostile, verificationUrl: 'javascript:alert(1)' }),
        ingest({ outcome: 'refused', status: 409, reason: hostile, submittedHash: 'sha256:def' }),
        ingest({ executionId: 'plain' }),
      ],
      { certified: 2, refused: 1 },
    );
    const { text } = await get('/', cookie);
    expect(text).not.toContain('<img');
    expect(text).not.toContain('javascript:');
    expect(text).toContain('&#60;img src=x');
    expect(text).toContain('href="https://verify.example/c/sha256%3Aabc"');
    expect(text).toMatch(/certified as <code>sha256:abc<\/code>[\s\S]*was sent <code>sha256:def<\/code>/);
  });

  it('shows received values that reorder text as they are', async () => {
    const cookie = await signIn();
    const bidi = 'a\u202exe.txt';
    const received = [
      ingest({ provider: bidi, executionId: bidi }),
      ingest({ outcome: 'refused', status: 400, reason: bidi }),
    ];
    await bridge.store.ingests.record(tenant.tenantId, received, { certified: 1, refused: 1 });
    const { text } = await get('/', cookie);
    expect(text.match(/a\\u\{202e\}xe\.txt/g)).toHaveLength(3);
    expect(text).not.toContain('\u202e');
  });

  it('reports an unreachable node', async () => {
    expect((await get('/', await signIn())).text).toContain('node not reachable');
  });
});

/** Reads a stream of events until it ends or has the expected event. */
async function events(
  cookie: string,
  isWanted: (event: string) => boolean = () => false,
): Promise<{ readonly seen: string[]; readonly ended: boolean }> {
  const response = await fetch(`${bridge.url}/events`, { headers: { cookie } });
  const reader = response.body?.getReader();
  const seen: string[] = [];
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const chunk = await reader?.read();
    if (chunk === undefined || chunk.done) break;
    text += decoder.decode(chunk.value, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const event = text.slice(0, end);
      seen.push(event);
      text = text.slice(end + 2);
      if (!isWanted(event)) continue;
      await reader?.cancel();
      return { seen, ended: false };
    }
  }
  return { seen, ended: true };
}

describe('the events of a page', () => {
  it('are limited to twenty pages per user', async () => {
    const earlier = user;
    user = controlPlane.newUser(tenant);
    const greedy = await signIn();
    const open = async (cookie: string): Promise<Response> => fetch(`${bridge.url}/events`, { headers: { cookie } });
    const pages = await Promise.all(Array.from({ length: 20 }, () => open(greedy)));
    expect(pages.map(({ status }) => status)).toEqual(pages.map(() => 200));
    // Another session of the same user is refused too.
    const more = await open(await signIn());
    expect(more.status).toBe(503);
    expect(more.headers.get('retry-after')).toBe('1');
    user = earlier;
    const others = await open(await signIn());
    expect(others.status).toBe(200);
    await Promise.all([...pages, others].map(async ({ body }) => body?.cancel()));
  });

  it('need a session', async () => {
    expect((await get('/events')).status).toBe(204);
  });

  it('report records of the session’s tenant only', async () => {
    const cookie = await signIn();
    const watching = events(cookie, (event) => event.includes('ours-now'));
    await bridge.store.ingests.record('somebody else', [ingest({ executionId: 'theirs' })], {
      certified: 1,
      refused: 0,
    });
    await bridge.store.ingests.record(tenant.tenantId, [ingest({ executionId: 'ours-now' })], {
      certified: 1,
      refused: 0,
    });
    const { seen } = await watching;
    expect(seen.join()).toContain('ours-now');
    expect(seen.join()).not.toContain('theirs');
  });

  it.each<[string, (cookie: string) => Promise<void> | void]>([
    [
      'on logout',
      async (cookie) => {
        await fetch(`${bridge.url}/api/v1/auth/logout`, { method: 'POST', headers: { origin: bridge.url, cookie } });
      },
    ],
    [
      'when the account is suspended, within a minute',
      () => {
        tenant.accountStatus = 'suspended';
        clockMs += 60_000;
      },
    ],
    [
      'when the session was idle for too long',
      () => {
        clockMs += 61 * 60_000;
      },
    ],
  ])('end %s', async (_, end) => {
    const cookie = await signIn();
    const watching = events(cookie);
    await end(cookie);
    const { seen, ended } = await watching;
    tenant.accountStatus = 'active';
    expect(ended).toBe(true);
    expect(seen.at(-1) ?? 'event: ended').toContain('event: ended');
  });

  it('do not delay a shutdown', async () => {
    const own = await startTestBridge({ nodeUrl: 'http://127.0.0.1:9', controlPlaneUrl: controlPlane.url });
    const token = handoffToken(controlPlane, {
      tenantId: tenant.tenantId,
      userId: user.id,
      audience: new URL(own.url).host,
    });
    const answer = await sendHandoff(own.url, token);
    const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
    const stream = await fetch(`${own.url}/events`, { headers: { cookie } });
    await own.close();
    expect(await stream.text()).toContain('data: ');
  });
});

describe('an unknown path', () => {
  it('is logged and counted like others', async () => {
    const unknown = await fetch(`${bridge.url}/secret-path`, { headers: { accept: 'text/html' } });
    expect([unknown.status, unknown.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    await unknown.text();
    const metrics = await (await fetch(`${bridge.url}/metrics`)).text();
    expect(metrics).toContain('_count{route="(unmatched)",method="ANY",status="4xx"} 1');
    const requestId = unknown.headers.get('x-request-id');
    expect(bridge.log.map((line): unknown => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ requestId, route: '(unmatched)', status: 404 }),
    );
    expect(bridge.log.join('')).not.toContain('secret-path');
  });
});
