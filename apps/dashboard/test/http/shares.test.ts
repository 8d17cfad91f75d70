import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { TestBrowser } from '../test-browser.js';
import { PUBLIC_URL, startTestDashboard, type TestDashboard } from '../test-dashboard.js';

// The content of a link comes from a node and is tested with one. The node of this dashboard does not answer.

const DAY_MS = 24 * 60 * 60_000;
const LINK = new RegExp(`${PUBLIC_URL}(/shared/[\\w-]{43})`);
const HASH = `sha256:${'a'.repeat(64)}`;

describe('shared links', () => {
  let dashboard: TestDashboard;
  let owner: TestBrowser;

  beforeAll(async () => {
    dashboard = await startTestDashboard();
    owner = new TestBrowser(dashboard.app);
    await owner.signIn();
  });
  afterAll(async () => {
    await dashboard.close();
  });

  const share = async (fields: Readonly<Record<string, string>>): Promise<string> =>
    LINK.exec((await owner.post('/shares', { days: '7', ...fields })).text)?.[1] ?? 'no link';
  const open = async (path: string): Promise<Response> => request(dashboard.app).get(path).set('X-Request-Id', 'same');

  it('show their token once and store only its hash', async () => {
    const path = await share({ kind: 'certificate', target: HASH });
    const token = path.slice('/shared/'.length);
    expect(token).toHaveLength(43);
    expect(await dashboard.everythingInDatabase()).not.toContain(token);
    const list = (await owner.get('/shares')).text;
    expect(list).toContain(HASH);
    expect(list).not.toContain(token);
    await open(path);
    expect(dashboard.logLines.join('')).not.toContain(token.slice(0, 20));
  });

  it('are made once by a form that is sent twice', async () => {
    const target = `sha256:${'b'.repeat(64)}`;
    const { text: page } = await owner.get(`/shares/new?certificate=${target}`);
    const id = /name="share_id" value="([^"]+)"/.exec(page)?.[1];
    const form = { days: '7', kind: 'certificate', target, ...(id !== undefined && { share_id: id }) };
    const answers = await Promise.all([owner.post('/shares', form), owner.post('/shares', form)]);
    answers.push(await owner.post('/shares', form));
    expect(answers.filter(({ text }) => LINK.test(text)).map(({ status }) => status)).toEqual([200]);
    const others = answers.filter(({ text }) => text.includes('This form was sent before and made one link'));
    expect(others.map(({ status }) => status)).toEqual([400, 400]);
    const shares = await dashboard.store.shares.list(dashboard.tenant.tenantId, null, 50);
    expect(shares.filter((one) => one.target === target)).toHaveLength(1);
  });

  it('send no cookie or referrer and forbid indexing', async () => {
    const path = await share({ kind: 'set', target: 'model=a' });
    for (const answer of [await open(path), await open('/shared/unknown')]) {
      expect(answer.headers).toMatchObject({
        'referrer-policy': 'no-referrer',
        'x-robots-tag': 'noindex, nofollow, noarchive',
        'cache-control': 'no-store',
      });
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
    expect((await open(path)).text).toContain('The certificates cannot be read now.');
  });

  it('never widen to all records by a mistyped filter', async () => {
    const day = 'From must be a day, such as 2026-01-31.';
    const hash = 'Reviews of must be a whole hash: sha256: and 64 lower-case hex digits.';
    for (const [filter, sentence] of [
      ['attested_from=31.1.2026', day],
      ['attested_from=2026-02-30', day],
      ['attested_from=2026-01-31T25:00:00Z', day],
      ['attested_from=2026-02-01&attested_to=2026-02-01', 'Before must be later than From.'],
      [`reviewed_hash=${'a'.repeat(64)}`, hash],
    ] as const) {
      for (const path of ['/records', '/records/exports', '/records/export', '/shares/new']) {
        const { status, text } = await owner.get(`${path}?model=a&${filter}`);
        expect([path, status, text.includes(sentence)]).toEqual([path, 400, true]);
      }
      expect((await owner.post('/shares', { days: '7', kind: 'set', target: filter })).status).toBe(400);
    }
    // Without them more would be exported or shared than was meant.
    for (const [filter, sentence] of [
      ['modle=a', 'modle: is no filter.'],
      ['model=a&model=b', 'model: is given twice.'],
    ] as const) {
      for (const path of ['/records/exports', '/records/exports/id', '/records/export', '/shares/new']) {
        const { status, text: page } = await owner.get(`${path}?${filter}`);
        expect([path, status, page.includes(sentence)]).toEqual([path, 400, true]);
      }
    }
    const { text } = await owner.get('/records?model=a&attested_from=31.1.2026');
    for (const kept of [
      'value="31.1.2026"',
      'value="a"',
      'aria-describedby="attested_from-hint attested_from-fault"',
    ]) {
      expect(text).toContain(kept);
    }
  });

  it('answer every guess alike', async () => {
    const guesses = ['A'.repeat(43), 'short', '%2e%2e', `${'A'.repeat(42)}~`];
    const paths = guesses.flatMap((guess) =>
      ['', `/certificate/${HASH}`, `/download/${HASH}`].map((end) => `/shared/${guess}${end}`),
    );
    const answers = await Promise.all(paths.map(open));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(404);
  });

  it('end when they are revoked, with a text', async () => {
    const path = await share({ kind: 'set', target: '' });
    const shareId = (await dashboard.store.shares.list(dashboard.tenant.tenantId, null, 50))[0]?.shareId ?? '';
    expect((await owner.post(`/shares/${shareId}/revoke`)).headers['location']).toBe('/shares?done=share-revoked');
    for (const end of ['', `/certificate/${HASH}`, `/download/${HASH}`]) {
      const { status, text } = await open(path + end);
      expect([status, text.includes('has revoked it')]).toEqual([410, true]);
    }
    expect((await owner.get('/activity')).text).toContain('shared link revoked');
  });

  it('end on their day, and while the account is suspended', async () => {
    const path = await share({ kind: 'set', target: '', days: '1' });
    const { tenantId } = dashboard.tenant;
    await dashboard.store.tenants.setStatus(tenantId, 'suspended', 'test');
    expect((await open(path)).text).toContain('cannot be opened at present');
    await dashboard.store.tenants.setStatus(tenantId, 'active', 'test');
    expect((await open(path)).status).toBe(503);
    dashboard.pass(DAY_MS);
    const { status, text } = await open(path);
    expect([status, text.includes('This link was valid until')]).toEqual([410, true]);
    dashboard.pass(-DAY_MS);
  });

  it('are opened at most 60 times per minute, each', async () => {
    const [path, other] = [await share({ kind: 'set', target: '' }), await share({ kind: 'set', target: '' })];
    const ends = ['', `/certificate/${HASH}`, `/download/${HASH}`];
    const statuses: number[] = [];
    for (let at = 0; at < 60; at++) statuses.push((await open(path + (ends[at % 3] ?? ''))).status);
    expect(new Set(statuses)).toEqual(new Set([503]));
    const refused = await open(path);
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '60']);
    expect(refused.text).toContain('This link was opened too often in the last minute.');
    expect((await open(other)).status).toBe(503);
    dashboard.pass(60_000);
    expect((await open(path)).status).toBe(503);
    dashboard.pass(-60_000);
  });

  it('share only records that the records page finds', async () => {
    const refused = [
      { kind: 'certificate', target: 'sha256:A' },
      { kind: 'project', target: HASH },
      { kind: 'set', target: 'status=hidden' },
      { kind: 'set', target: '', days: '3650' },
    ];
    for (const fields of refused) expect((await owner.post('/shares', { days: '7', ...fields })).status).toBe(400);
    await share({ kind: 'set', target: 'model=a&tenant=other&limit=9' });
    expect((await dashboard.store.shares.list(dashboard.tenant.tenantId, null, 50))[0]?.target).toBe('model=a');
  });
});
