import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { executionRequest } from '@cer/cer-core/testing';
import { evaluateCer } from '@cer/cer-core/verify';
import { parseKeySet } from '@cer/keys';

import { runCommand } from '../../src/commands/run-command.js';
import { startNode } from '../../src/start/start-node.js';
import { ask, objectAt, textAt } from '../ask.js';
import type { NodeEnvironment } from '../node-process.js';

const ADMIN_SECRET = 'admin secret of tests';

let folder: string;
let env: NodeEnvironment;
let keysFile: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cer-lost-keys-'));
  keysFile = join(folder, 'keys.json');
  env = {
    PORT: '0',
    DATABASE_URL: `sqlite:${join(folder, 'node.sqlite')}`,
    KEYS_FILE: keysFile,
    COMMITMENT_SECRET_FILE: join(folder, 'secrets.json'),
    NODE_ID: 'node-of-test',
    LOG_LEVEL: 'silent',
    KEY_SET_MAX_AGE_S: '0',
    ADMIN_SECRET,
  };
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function command(args: readonly string[], members: NodeEnvironment = {}): Promise<string> {
  const lines: string[] = [];
  await runCommand(args, { ...env, ...members }, (line) => lines.push(line));
  return lines.join('\n');
}

type Node = Awaited<ReturnType<typeof startNode>>;

async function certified(node: Node, key: string, executionId: string): Promise<Record<string, unknown>> {
  const body = executionRequest({ executionId });
  const answer = await ask(node, 'post', '/v1/cer/ai/certify', { key, body });
  expect(answer.status).toBe(200);
  return objectAt(answer.body, 'cer');
}

describe('keys replace', () => {
  it('lets a node sign again whose KEYS_FILE is lost, and keeps what it signed', async () => {
    const key = await command(['api-key', 'create', '--tenant', 't']);
    const first = await startNode(env);
    const before = await certified(first, key, 'before');
    await first.close();
    renameSync(keysFile, join(folder, 'lost.json'));
    await expect(startNode(env)).rejects.toThrow('When it is lost');

    expect(await command(['keys', 'replace'])).toContain(`made ${keysFile} of node-of-test`);
    expect(statSync(keysFile).mode & 0o777).toBe(0o600);
    const node = await startNode(env);
    try {
      const ready = await ask(node, 'get', '/ready');
      expect(ready.status).toBe(503);
      expect(ready.text).toContain('KEYS_FILE does not open the signing key');
      const lookedUp = await ask(node, 'get', '/v1/cer/public?execution_id=before');
      expect(lookedUp.status).toBe(200);

      const headers = { 'x-admin-secret': ADMIN_SECRET };
      const rotated = await ask(node, 'post', '/v1/admin/keys/rotate', { headers, body: { immediate: true } });
      expect(rotated.status).toBe(200);
      expect((await ask(node, 'get', '/ready')).status).toBe(200);
      const after = await certified(node, key, 'after');
      expect(textAt(after, 'meta', 'attestation', 'kid')).toBe(textAt(rotated.body, 'kid'));
      const keySet = parseKeySet((await ask(node, 'get', '/.well-known/svc-node.json')).body);
      const verifiedAt = new Date().toISOString();
      for (const cer of [before, after])
        expect(await evaluateCer(cer, { keySet, verifiedAt })).toMatchObject({ status: 'VERIFIED' });
    } finally {
      await node.close();
    }
  });

  it('replaces no file that is there, and none of another node', async () => {
    await expect(command(['keys', 'replace'])).rejects.toThrow('has no key history: run `init`');
    await (await startNode(env)).close();
    const kept = readFileSync(keysFile, 'utf8');
    await expect(command(['keys', 'replace'])).rejects.toThrow(`${keysFile} is there`);
    expect(readFileSync(keysFile, 'utf8')).toBe(kept);
    rmSync(keysFile);
    await expect(command(['keys', 'replace'], { NODE_ID: 'another' })).rejects.toThrow('NODE_ID: is not the name');
    await expect(command(['keys', 'replace'], { NODE_ID: '' })).rejects.toThrow('NODE_ID: is required');
    expect(existsSync(keysFile)).toBe(false);
  });

  it('makes no second file while a node runs on the database', async () => {
    const node = await startNode(env);
    try {
      renameSync(keysFile, join(folder, 'elsewhere.json'));
      await expect(command(['keys', 'replace'])).rejects.toThrow('a node runs on this database');
      expect(existsSync(keysFile)).toBe(false);
    } finally {
      await node.close();
    }
  });
});
