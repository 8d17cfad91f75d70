import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { executionRequest } from '@cer/cer-core/testing';
import { ownPostgresServer, type OwnPostgresServer } from '@cer/sql-store/testing';
import { ask, type Answer } from '../../../apps/node/test/ask.js';
import {
  premisesOn,
  runMain,
  startMain,
  startNodeProcess,
  type NodeEnvironment,
  type Premises,
} from '../../../apps/node/test/node-process.js';
import { blocksOf } from '../documentation/blocks.js';
import { Terminal } from '../documentation/terminal.js';
import { root } from '../npm-start.js';
import { signIn } from './owner-browser.js';

// The PostgreSQL blocks of docs/backup.md. The packaged server of other tests has neither pg_dump nor pg_restore: this
// one is Debian's.

const DEBIAN = '/usr/lib/postgresql';
const PROGRAMS = ['initdb', 'postgres', 'pg_dump', 'pg_restore', 'createdb'];
const programs = (existsSync(DEBIAN) ? readdirSync(DEBIAN) : [])
  .map((version) => join(DEBIAN, version, 'bin'))
  .find((bin) => PROGRAMS.every((name) => existsSync(join(bin, name))));

describe('dumps of PostgreSQL', () => {
  if (programs === undefined) {
    it("are skipped without Debian's package postgresql", () => {
      process.stderr.write('docs/backup.md: pg_dump and pg_restore not run: the package postgresql is not installed\n');
      expect(programs).toBeUndefined();
    });
    return;
  }
  const bin = programs;
  const folder = mkdtempSync(join(tmpdir(), 'cer-dump-'));
  const token = join(folder, 'token');
  const servers: OwnPostgresServer[] = [];
  const body = executionRequest({ executionId: 'dumped' });
  const owner = { email: 'ada@example.org', password: 'a long password' };
  let premises: Premises;

  /** A new server. @returns its URL, without a database */
  async function serve(): Promise<string> {
    const programs = { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') };
    const server = await ownPostgresServer({ programs });
    servers.push(server);
    return server.url.replace(/\/postgres$/, '');
  }
  /** Certifies on a separate node. @returns the response */
  async function certifyOn(databaseUrl: string): Promise<Answer> {
    const node = await startNodeProcess({ ...premises.env, DATABASE_URL: databaseUrl });
    const answer = await ask(node, 'post', '/v1/cer/ai/certify', { key: premises.key, body });
    node.kill('SIGTERM');
    await node.ended;
    return answer;
  }
  const dashboardOn = (databaseUrl: string): NodeEnvironment => ({
    DATABASE_URL: databaseUrl,
    JWKS_KEYS_FILE: join(folder, 'jwks.json'),
    PUBLIC_URL: 'http://localhost:4400',
    SERVICE_TOKEN_FILE: token,
  });
  const DASHBOARD = join(root, 'apps/dashboard/src/main.ts');

  beforeAll(() => {
    writeFileSync(token, 'a credential of the test services', { mode: 0o600 });
  });
  afterAll(async () => {
    premises.remove();
    await servers.pop()?.stop();
    rmSync(folder, { recursive: true });
  });

  it('bring back certificates and people on another server', async () => {
    const first = await serve();
    const env = { PATH: `${bin}:${process.env['PATH'] ?? ''}` };
    const terminal = new Terminal(join(folder, 'home'), { env, substitutions: [['/backup', join(folder, 'backup')]] });
    const run = (text: string): void => {
      const { status, stdout, stderr } = terminal.run(text);
      expect({ status, said: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, said: '' });
    };
    for (const name of ['node', 'dashboard']) run(`createdb --maintenance-db="${first}/postgres" ${name}`);
    premises = await premisesOn({ url: `${first}/node` });
    const answer = await certifyOn(`${first}/node`);
    expect(answer.status).toBe(200);
    const words = ['owner', 'create', '--email', owner.email, '--password-stdin'];
    const made = await runMain(DASHBOARD, words, dashboardOn(`${first}/dashboard`), owner.password);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const [dump, restore] = blocksOf('docs/backup.md').filter(({ text }) => /^\s*pg_(dump|restore) /m.test(text));
    run(`NODE_DATABASE_URL=${first}/node DASHBOARD_DATABASE_URL=${first}/dashboard\n${dump?.text ?? 'false'}`);
    await servers.pop()?.stop();

    const second = await serve();
    run(`NEW_SERVER_URL=${second}\n${restore?.text ?? 'false'}`);
    const again = await certifyOn(`${second}/node`);
    expect(again.headers['x-idempotent-replay']).toBe('true');
    expect(again.text).toBe(answer.text);
    const dashboard = await startMain(DASHBOARD, dashboardOn(`${second}/dashboard`));
    expect(await signIn(dashboard.url, owner, 'http://localhost:4400')).toBe(200);
    dashboard.kill('SIGTERM');
    await dashboard.ended;
  });
});
