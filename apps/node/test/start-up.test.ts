import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CONFIDENTIAL_MEMBERS, executionRequest } from '@cer/cer-core/testing';
import { postgresTestDatabase } from '@cer/sql-store/testing';

import { loadNodeConfig } from '../src/start/config.js';
import { createKeyMaterial, openKeyMaterial } from '../src/start/key-material.js';
import { startNode } from '../src/start/start-node.js';
import { migrate, openStore } from '../src/store/index.js';
import { ask } from './ask.js';
import { runNode, type NodeEnvironment } from './node-process.js';

let folder: string;
let env: NodeEnvironment;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cer-start-'));
  env = {
    PORT: '0',
    DATABASE_URL: `sqlite:${join(folder, 'data', 'node.sqlite')}`,
    KEYS_FILE: join(folder, 'data', 'keys.json'),
    COMMITMENT_SECRET_FILE: join(folder, 'data', 'secrets.json'),
    LOG_LEVEL: 'silent',
  };
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const path = (name: string): string => env[name] ?? '';

/** Starts a node in this process, optionally certifies once, and stops it. */
async function startedOnce(members: NodeEnvironment = {}, certify = false): Promise<void> {
  const [key = ''] = certify ? [(await runNode(['api-key', 'create', '--tenant', 't'], env)).stdout.trim()] : [];
  const node = await startNode({ ...env, ...members });
  try {
    expect((await ask(node, 'get', '/ready')).status).toBe(200);
    if (!certify) return;
    const made = await ask(node, 'post', '/v1/cer/ai/certify', { key, body: executionRequest(CONFIDENTIAL_MEMBERS) });
    expect(made.status).toBe(200);
  } finally {
    await node.close();
  }
}

describe('a starting node', () => {
  it('creates private key files on a new SQLite store', async () => {
    await startedOnce();
    for (const name of ['KEYS_FILE', 'COMMITMENT_SECRET_FILE']) expect(statSync(path(name)).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'data')).mode & 0o777).toBe(0o700);
    const before = readFileSync(path('KEYS_FILE'), 'utf8');
    await startedOnce();
    expect(readFileSync(path('KEYS_FILE'), 'utf8')).toBe(before);
  });

  it('refuses to start with records but no key file', async () => {
    await startedOnce({}, true);
    for (const name of ['KEYS_FILE', 'COMMITMENT_SECRET_FILE']) {
      const kept = readFileSync(path(name));
      rmSync(path(name));
      await expect(startNode(env)).rejects.toThrow(`${path(name)}: not found. Restore it`);
      expect(existsSync(path(name))).toBe(false);
      writeFileSync(path(name), kept, { mode: 0o600 });
    }
    for (const name of ['KEYS_FILE', 'COMMITMENT_SECRET_FILE']) rmSync(path(name));
    await expect(startNode(env)).rejects.toThrow(`${path('KEYS_FILE')} and ${path('COMMITMENT_SECRET_FILE')}`);
  });

  it('refuses to start without a used commitment secret', async () => {
    await startedOnce({}, true);
    const { activeId } = JSON.parse(readFileSync(path('COMMITMENT_SECRET_FILE'), 'utf8')) as { activeId: string };
    const secret = Buffer.alloc(32, 1).toString('base64');
    writeFileSync(
      path('COMMITMENT_SECRET_FILE'),
      JSON.stringify({ activeId: 'new', secrets: [{ id: 'new', secret }] }),
    );
    await expect(startNode(env)).rejects.toThrow(`COMMITMENT_SECRET_FILE: lacks ${activeId}`);
  });

  it('refuses times that no timer of Node.js can wait', () => {
    const names = ['TSA_TIMEOUT_MS', 'LOG_EVERY_MS', 'HEADERS_TIMEOUT_MS', 'REQUEST_TIMEOUT_MS', 'DRAIN_TIMEOUT_MS'];
    for (const name of names) {
      expect(() => loadNodeConfig({ ...env, [name]: '2147483648' })).toThrow(
        `${name}: must be a whole number, 1 to 2147483647`,
      );
    }
    for (const name of ['KEY_SET_MAX_AGE_S', 'RETENTION_SWEEP_EVERY_S']) {
      expect(() => loadNodeConfig({ ...env, [name]: '2147484' })).toThrow(
        `${name}: must be a whole number, 0 to 2147483`,
      );
    }
  });

  it('refuses a longer time for the head of a request than for all of it', () => {
    expect(() => loadNodeConfig({ ...env, HEADERS_TIMEOUT_MS: '20000', REQUEST_TIMEOUT_MS: '19999' })).toThrow(
      'HEADERS_TIMEOUT_MS: must be at most REQUEST_TIMEOUT_MS',
    );
    expect(loadNodeConfig({ ...env, HEADERS_TIMEOUT_MS: '20000', REQUEST_TIMEOUT_MS: '20000' })).toMatchObject({
      headersTimeoutMs: 20_000,
      requestTimeoutMs: 20_000,
    });
  });

  it('refuses another node’s id', async () => {
    await startedOnce({ NODE_ID: 'node-one' });
    await expect(startNode({ ...env, NODE_ID: 'node-two' })).rejects.toThrow(/^NODE_ID: differs/);
    await startedOnce();
  });

  it.each<[string, string, RegExp]>([
    ['no JSON', '{', /is not JSON/],
    ['another shape', '{"activeId":"a","secrets":[]}', /must be \{activeId, secrets/],
    ['a short secret', '{"activeId":"a","secrets":[{"id":"a","secret":"Y2FuYXJ5"}]}', /base64 of 32 bytes/],
    [
      'no active secret',
      `{"activeId":"b","secrets":[{"id":"a","secret":"${Buffer.alloc(32).toString('base64')}"}]}`,
      /activeId must name/,
    ],
  ])('refuses a commitment secret file with %s', async (_name, text, message) => {
    await startedOnce();
    writeFileSync(path('COMMITMENT_SECRET_FILE'), text);
    const error: unknown = await startNode(env).catch((reason: unknown) => reason);
    expect(String(error)).toMatch(message);
    expect(String(error)).not.toContain('Y2FuYXJ5');
  });

  it('refuses key files that other users can read', async () => {
    await startedOnce();
    for (const name of ['KEYS_FILE', 'COMMITMENT_SECRET_FILE']) {
      chmodSync(path(name), 0o604);
      await expect(startNode(env)).rejects.toThrow(path(name));
      chmodSync(path(name), 0o600);
    }
    await startedOnce();
  });

  it('creates no key files for a shared database', async () => {
    const database = await postgresTestDatabase();
    try {
      const store = await openStore({ databaseUrl: database.url, queueLimit: 1 });
      const config = loadNodeConfig({ ...env, DATABASE_URL: database.url });
      try {
        await expect(openKeyMaterial(config, store, new Date())).rejects.toThrow(/main\.js init/);
        expect(createKeyMaterial(config, new Date())).toHaveLength(2);
        expect((await openKeyMaterial(config, store, new Date())).secrets.ids).toHaveLength(1);
      } finally {
        await store.close();
      }
    } finally {
      await database.remove();
    }
  });

  it('leaves no lease where it cannot listen', async () => {
    const database = await postgresTestDatabase();
    const other = createServer().listen(0, '127.0.0.1');
    try {
      await once(other, 'listening');
      const address = { HOST: '127.0.0.1', PORT: String((other.address() as AddressInfo).port) };
      const shared = { ...env, DATABASE_URL: database.url };
      createKeyMaterial(loadNodeConfig(shared), new Date());
      await expect(startNode({ ...shared, ...address })).rejects.toThrow('is in use');
      const store = await openStore({ databaseUrl: database.url, queueLimit: 1 });
      try {
        for (const name of ['retention', 'record-facts', 'coverage']) {
          expect([name, await store.leases.acquire(name, 'another node', 60_000)]).toEqual([name, true]);
        }
      } finally {
        await store.close();
      }
    } finally {
      other.close();
      await database.remove();
    }
  });

  it('names every invalid variable on stderr', async () => {
    const bad = {
      PORT: 'canary',
      DATABASE_URL: 'mysql://canary',
      NODE_ID: 'canary canary',
      VERIFY_URL: 'ftp://canary',
      ADMIN_SECRET: 'canary',
      RENDERER_URL: 'http://127.0.0.1:1',
      CONTROL_PLANE_URL: 'http://user:canary@127.0.0.1',
      LOG_LEVEL: 'canary',
      TRUST_PROXY: 'canary',
      BODY_LIMIT_BYTES: '-1',
      STORE_QUEUE_LIMIT: '0',
    };
    const { code, stdout, stderr } = await runNode([], { ...env, ...bad });
    expect([code, stdout]).toEqual([1, '']);
    for (const name of Object.keys(bad).filter((variable) => variable !== 'RENDERER_URL'))
      expect(stderr).toContain(name);
    expect(stderr).not.toContain('canary');
  });

  it('refuses newer and foreign databases', async () => {
    await migrate(path('DATABASE_URL'));
    const store = await openStore({ databaseUrl: path('DATABASE_URL'), queueLimit: 1 });
    await store.close();
    writeFileSync(join(folder, 'text'), 'canary canary canary canary');
    const error: unknown = await startNode({ ...env, DATABASE_URL: `sqlite:${join(folder, 'text')}` }).catch(
      (reason: unknown) => reason,
    );
    expect(String(error)).toMatch(/StoreError/);
    expect(String(error)).not.toContain('canary');
    const refused = await runNode([], { ...env, DATABASE_URL: 'postgres://u:canary@127.0.0.1:1/canary' });
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toMatch(/database is not available \(ECONNREFUSED\): .*Start the database/);
    expect(refused.stderr).not.toContain('canary');
  });
});
