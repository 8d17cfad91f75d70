import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import { ClientBundle } from './client-bundle.js';
import { COMPLETION, sendJson, startModelServer } from './model-server.js';
import { NODE_DOWN, ObservedProgram } from './observed-program.js';

const bundle = new ClientBundle();
let register: string;
let program: ObservedProgram;
beforeAll(async () => {
  register = await bundle.of('register');
});
afterAll(() => {
  bundle.remove();
});
afterEach(async () => program.end());

async function run(
  env: Readonly<Record<string, string>>,
  app = 'registered',
  imports = ['--import', register],
): Promise<{ stdout: string; stderr: string }> {
  program = await ObservedProgram.start((_, response) => {
    sendJson(response, COMPLETION);
  });
  return promisify(execFile)(process.execPath, [...imports, join(__dirname, `apps/${app}.mjs`)], {
    env: { PATH: process.env['PATH'] ?? '', MODEL_URL: `${program.server.url}/v1`, CER_SPOOL_DIR: program.dir, ...env },
  });
}

describe('node --import @cer/client/register', () => {
  it('certifies the calls of an unchanged program', async () => {
    expect(await run({ CER_NODE_URL: NODE_DOWN, CER_APP_ID: 'desk' })).toEqual({ stdout: 'Hello there\n', stderr: '' });
    expect(program.calls()).toMatchObject([
      { snapshot: { model: 'example-1', appId: 'desk' }, payload: { outcome: 'complete' } },
    ]);
  });

  it("leaves the calls of the program's own client to it", async () => {
    const env = { CER_NODE_URL: NODE_DOWN, CER_APP_ID: 'desk', CLIENT: await bundle.of('index') };
    expect(await run(env, 'registered-with-client')).toEqual({ stdout: 'Hello there\n', stderr: '' });
    expect(program.calls()).toMatchObject([{ snapshot: { appId: 'own' } }]);
  });

  it('warns once of a refused key, and the program runs', async () => {
    const node = await startModelServer((_, response) => {
      sendJson(response, { error: 'UNAUTHORIZED', message: 'the key is revoked' }, 401);
    });
    const { stdout, stderr } = await run({ CER_NODE_URL: node.url, CER_API_KEY: 'cer_live_x' });
    await node.close();
    expect(stdout).toBe('Hello there\n');
    expect(stderr.match(/CerWarning: .*/g)).toEqual(['CerWarning: calls are not certified yet: the key is revoked']);
    expect(program.calls()).toHaveLength(1);
  });

  it("warns of a key that the program's own client is refused", async () => {
    const node = await startModelServer((_, response) => {
      sendJson(response, { error: 'UNAUTHORIZED', message: 'the key is revoked' }, 401);
    });
    const env = { CER_NODE_URL: node.url, CER_API_KEY: 'cer_live_x', CLIENT: await bundle.of('index') };
    const { stdout, stderr } = await run(env, 'registered-with-client', []);
    await node.close();
    expect(stdout).toBe('Hello there\n');
    expect(stderr.match(/CerWarning: .*/g)).toEqual(['CerWarning: calls are not certified yet: the key is revoked']);
  });

  it('warns without an address, and the program runs', async () => {
    const { stdout, stderr } = await run({});
    expect(stdout).toBe('Hello there\n');
    expect(stderr).toContain('CerWarning: nodeUrl: must be a http or https address (or set CER_NODE_URL)');
  });
});
