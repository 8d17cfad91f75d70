import { createServer, type Server } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { executionRequest } from '@cer/cer-core/testing';
import { CONTROL_PLANE_TIMES, generateApiKey, hashApiKey } from '@cer/control-plane';
import { Secret } from '@cer/http-service/config';

import { controlPlaneDirectory } from '../src/auth/control-plane-directory.js';
import { cachedKeyDirectory, type Caller, type KeyDirectory } from '../src/auth/key-directory.js';
import { startNode } from '../src/start/start-node.js';
import type { StatedSettings } from '../src/store/index.js';
import type { SettingsMemory } from '../src/tenants/settings-memory.js';
import { settingsOf } from '../src/tenants/tenant-settings.js';
import { ask, at } from './ask.js';

const TOKEN = 'service-credential';
const ACTIVE = {
  ...{ active: true, tenantId: 'tenant-1', tenantName: 'Acme', keyId: 'key-1', scopes: ['certify', 'ingest'] },
  ...{ accountStatus: 'active', plan: 'free', limits: {}, entitlements: { bridge: true } },
};

/** A control plane with scripted answers and recorded requests. */
interface Stub {
  readonly url: string;
  readonly asked: string[];
  answer: { readonly status?: number; readonly body: unknown; readonly headers?: Record<string, string> };
  /** Runs while a request waits for its answer. */
  whileAnswering: () => void;
  close(): Promise<void>;
}

async function startStub(): Promise<Stub> {
  const server: Server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += String(chunk)));
    request.on('end', () => {
      stub.asked.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)} ${text}`);
      stub.whileAnswering();
      const { status = 200, body, headers = {} } = stub.answer;
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stub: Stub = {
    url: `http://127.0.0.1:${port}`,
    asked: [],
    answer: { body: ACTIVE },
    whileAnswering: () => undefined,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
  return stub;
}

let stub: Stub;

beforeEach(async () => {
  stub = await startStub();
});
afterEach(() => stub.close());

describe('keys of a control plane', () => {
  const stated: [string, StatedSettings | null][] = [];
  const remember: SettingsMemory = async (tenantId, said) => {
    stated.push([tenantId, said]);
    return settingsOf({ node: null, 'control-plane': said });
  };
  const directory = (): KeyDirectory => controlPlaneDirectory(stub.url, new Secret(TOKEN), remember);

  it('are looked up by hash with the service credential', async () => {
    const keyHash = hashApiKey(generateApiKey());
    await directory().find(keyHash);
    const [question = ''] = stub.asked;
    expect(question).toMatch(/^POST \/internal\/v1\/keys\/introspect /);
    expect(question).toContain(`"authorization":"Bearer ${TOKEN}"`);
    expect(question.endsWith(` {"keyHash":"${keyHash}"}`)).toBe(true);
    expect(question).not.toContain('cer_live_');
  });

  it('are refused for a suspended account, whose settings stay', async () => {
    const settings = { retentionDays: 30, legalHold: true };
    stub.answer = { body: { ...ACTIVE, active: false, accountStatus: 'suspended', settings } };
    expect(await directory().find('h')).toBeNull();
    const held = { publishJson: null, retentionDays: 30, visibility: null, legalHold: true };
    expect(stated.at(-1)).toEqual(['tenant-1', held]);
  });

  it('have tenant, scopes and publication settings', async () => {
    const usual = { context: true, prompt: false, instruction: false, metadata: 'none' };
    expect(await directory().find('h')).toMatchObject({
      tenantId: 'tenant-1',
      keyId: 'key-1',
      scopes: new Set(['certify', 'ingest']),
      limits: { requestsPerMinute: null, executionsPerMonth: null },
      publish: usual,
    });
    const settings = { publish: { prompt: true, metadata: ['a'] }, retentionDays: 1, minimumProtocol: '1.3.1' };
    stub.answer = { body: { ...ACTIVE, settings: { ...settings, visibility: 'hidden' } } };
    expect(await directory().find('h')).toMatchObject({
      publish: { ...usual, prompt: true, metadata: ['a'] },
    });
    const publishJson = JSON.stringify(settings.publish);
    expect([stated.at(0), stated.at(-1)]).toEqual([
      ['tenant-1', null],
      ['tenant-1', { publishJson, retentionDays: 1, visibility: 'hidden', legalHold: false }],
    ]);
  });

  it('have names of metadata of up to 256 characters', async () => {
    const named = (length: number): readonly string[] => ['\u{1d11e}'.repeat(length)];
    stub.answer = { body: { ...ACTIVE, settings: { publish: { metadata: named(256) } } } };
    expect(await directory().find('h')).toMatchObject({ publish: { metadata: named(256) } });
    stub.answer = { body: { ...ACTIVE, settings: { publish: { metadata: named(257) } } } };
    await expect(directory().find('h')).rejects.toThrow();
  });

  it('have the limits of the plan', async () => {
    stub.answer = { body: { ...ACTIVE, limits: { requestsPerMinute: 600, executionsPerMonth: null } } };
    expect(await directory().find('h')).toMatchObject({
      limits: { requestsPerMinute: 600, executionsPerMonth: null },
    });
  });

  it.each([
    ['inactive', { active: false }],
    ['of a suspended account', { ...ACTIVE, accountStatus: 'suspended' }],
  ])('are invalid when they are %s', async (_name, body) => {
    stub.answer = { body };
    expect(await directory().find('h')).toBeNull();
  });

  it.each<[string, Stub['answer']]>([
    ['an error', { status: 500, body: { active: false } }],
    ['no such route', { status: 404, body: {} }],
    ['a refused credential', { status: 401, body: {} }],
    ['a redirect', { status: 302, body: '', headers: { location: '/elsewhere' } }],
    ['no JSON', { body: '{' }],
    ['another shape', { body: { ...ACTIVE, tenantId: undefined } }],
    ['an empty tenant', { body: { ...ACTIVE, tenantId: '' } }],
    ['an odd retention', { body: { ...ACTIVE, settings: { retentionDays: 0 } } }],
    ['an odd visibility', { body: { ...ACTIVE, settings: { visibility: 'everybody' } } }],
    ['odd limits', { body: { ...ACTIVE, limits: { requestsPerMinute: '600' } } }],
    ['odd settings', { body: { ...ACTIVE, settings: { publish: { prompt: 'yes' } } } }],
  ])('are refused on %s', async (_name, answer) => {
    stub.answer = answer;
    await expect(directory().find('h')).rejects.toThrow();
  });
});

describe('the cache of a key directory', () => {
  let clock = 0;
  const caller: Caller = {
    ...{ tenantId: 'tenant-1', keyId: 'key-1', scopes: new Set<string>() },
    publish: settingsOf({ node: null, 'control-plane': null }).publish,
  };
  const forgetful: SettingsMemory = async () => settingsOf({ node: null, 'control-plane': null });
  const remembering = (): KeyDirectory => {
    clock = 1_000_000;
    return cachedKeyDirectory(
      controlPlaneDirectory(stub.url, new Secret(TOKEN), forgetful),
      CONTROL_PLANE_TIMES,
      () => clock,
    );
  };

  it('caches a found key for 1.5 seconds', async () => {
    const keys = remembering();
    stub.whileAnswering = () => (clock += 500);
    await keys.find('h');
    stub.whileAnswering = () => undefined;
    clock += 999;
    await keys.find('h');
    expect(stub.asked).toHaveLength(1);
    clock += 1;
    stub.answer = { body: { active: false } };
    expect(await keys.find('h')).toBeNull();
    expect(stub.asked).toHaveLength(2);
  });

  it('caches an unknown key for one second', async () => {
    const keys = remembering();
    stub.answer = { body: { active: false } };
    expect(await keys.find('h')).toBeNull();
    stub.answer = { body: ACTIVE };
    clock += 999;
    expect(await keys.find('h')).toBeNull();
    clock += 1;
    expect(await keys.find('h')).not.toBeNull();
  });

  it('caches no failures and serves no expired answers', async () => {
    const keys = remembering();
    await keys.find('h');
    clock += 1500;
    stub.answer = { status: 503, body: {} };
    await expect(keys.find('h')).rejects.toThrow('503');
    stub.answer = { body: ACTIVE };
    expect(await keys.find('h')).not.toBeNull();
  });

  it('shares concurrent lookups per key', async () => {
    const keys = remembering();
    await Promise.all(Array.from({ length: 20 }, () => keys.find('h')));
    expect(stub.asked).toHaveLength(1);
    await keys.find('other');
    expect(stub.asked).toHaveLength(2);
  });

  it('is bounded', async () => {
    let asked = 0;
    const keys = cachedKeyDirectory(
      { find: () => Promise.resolve(((asked += 1), null)) },
      CONTROL_PLANE_TIMES,
      () => 0,
    );
    for (let key = 0; key <= 10_000; key += 1) await keys.find(`key ${key}`);
    await keys.find('key 0');
    expect(asked).toBe(10_002);
  });

  it('keeps a valid key while others are tried', async () => {
    let good: Caller | null = caller;
    let asked = 0;
    const keys = cachedKeyDirectory(
      { find: (keyHash) => Promise.resolve(((asked += 1), keyHash === 'good' ? good : null)) },
      CONTROL_PLANE_TIMES,
      () => clock,
    );
    expect(await keys.find('good')).toBe(caller);
    for (let key = 0; key <= 10_000; key += 1) await keys.find(`key ${key}`);
    const before = asked;
    expect(await keys.find('good')).toBe(caller);
    expect(asked).toBe(before);
    good = null;
    clock += CONTROL_PLANE_TIMES.foundMs;
    expect([await keys.find('good'), await keys.find('good')]).toEqual([null, null]);
    expect(asked).toBe(before + 1);
    good = caller;
    clock += CONTROL_PLANE_TIMES.unknownMs;
    expect(await keys.find('good')).toBe(caller);
  });
});

describe('a node with a control plane', () => {
  it('accepts only its keys and is 503 without it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cer-plane-'));
    const tokenFile = join(folder, 'token');
    writeFileSync(tokenFile, `${TOKEN}\n`, { mode: 0o600 });
    const node = await startNode({
      PORT: '0',
      DATABASE_URL: `sqlite:${join(folder, 'node.sqlite')}`,
      KEYS_FILE: join(folder, 'keys.json'),
      COMMITMENT_SECRET_FILE: join(folder, 'secrets.json'),
      LOG_LEVEL: 'silent',
      CONTROL_PLANE_URL: stub.url,
      CONTROL_PLANE_TOKEN_FILE: tokenFile,
    });
    try {
      const certify = (key: string): ReturnType<typeof ask> =>
        ask(node, 'post', '/v1/cer/ai/certify', { key, body: executionRequest() });
      const key = generateApiKey();
      expect((await certify(key)).status).toBe(200);
      expect((await ask(node, 'post', '/v1/project-bundle/register', { key, body: {} })).status).toBe(403);
      expect((await ask(node, 'get', '/ready')).status).toBe(200);
      const before = stub.asked.length;
      expect((await certify('cer_live_malformed')).status).toBe(401);
      expect(stub.asked).toHaveLength(before);
      for (const question of stub.asked) {
        expect(question).toMatch(/ \{"keyHash":"[0-9a-f]{64}"\}$/);
        expect(question).not.toContain(key);
      }
      stub.answer = { body: { active: false } };
      expect((await certify(generateApiKey())).status).toBe(401);
      await stub.close();
      const refused = await certify(generateApiKey());
      expect([refused.status, at(refused.body, 'error')]).toEqual([503, 'SERVICE_UNAVAILABLE']);
      expect(refused.headers['retry-after']).toBe('1');
    } finally {
      await node.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
