import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { executionRequest } from '@cer/cer-core/testing';
import { createOpensslTsa, serveTsa, type OpensslTsa, type ServedTsa } from '@cer/timestamps/testing';

import { startNode } from '../../src/start/start-node.js';
import { ask, at, textAt } from '../ask.js';
import { runNode } from '../node-process.js';
import { until } from './timestamping-node.js';

describe('a node with timestamping authorities', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cer-tsa-'));
  const file = (name: string): string => join(folder, name);
  const env = {
    PORT: '0',
    DATABASE_URL: `sqlite:${file('node.sqlite')}`,
    KEYS_FILE: file('keys.json'),
    COMMITMENT_SECRET_FILE: file('secrets.json'),
    LOG_LEVEL: 'silent',
    TSA_ROOTS_FILE: file('roots.pem'),
  };
  let tsa: OpensslTsa;
  let served: ServedTsa;

  beforeAll(async () => {
    tsa = createOpensslTsa();
    served = await serveTsa((query) => tsa.reply(query));
    writeFileSync(file('roots.pem'), tsa.rootPem);
  });
  afterAll(async () => {
    await served.close();
    tsa.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  it('timestamps certificates and stops beside a silent authority', async () => {
    const silent = await serveTsa(async () => new Uint8Array(0));
    const key = (await runNode(['api-key', 'create', '--tenant', 't'], env)).stdout.trim();
    const node = await startNode({ ...env, TSA_URLS: `${served.url}, ${silent.url}`, TSA_TIMEOUT_MS: '60000' });
    const certify = async (): Promise<string> => {
      const { body } = await ask(node, 'post', '/v1/cer/ai/certify', { key, body: executionRequest() });
      return textAt(body, 'certificateHash');
    };
    const hash = await certify();
    const lookup = () => ask(node, 'get', `/v1/cer/public?certificate_hash=${encodeURIComponent(hash)}`);
    const { body } = await until(lookup, (answer) => at(answer.body, 'status') === 'EXTERNALLY_TIMESTAMPED');
    expect(at(body, 'timestamp')).toMatchObject({ type: 'rfc3161', provider: 'Test TSA' });
    silent.behave('silence');
    await node.close();
    await silent.close();
  });

  it.each<[string, Record<string, string>, RegExp]>([
    ['addresses without roots', { TSA_URLS: 'http://127.0.0.1:1', TSA_ROOTS_FILE: '' }, /TSA_ROOTS_FILE/],
    ['three addresses', { TSA_URLS: 'http://a.test,http://b.test,http://c.test' }, /TSA_URLS.*at most 2/],
    ['a URL with credentials', { TSA_URLS: 'http://u:canary@a.test' }, /TSA_URLS: must be .*without credentials/],
    ['an unknown mode', { TSA_MODE: 'canary' }, /TSA_MODE/],
    ['a timeout of zero', { TSA_TIMEOUT_MS: '0' }, /TSA_TIMEOUT_MS/],
    ['a missing file', { TSA_ROOTS_FILE: file('none.pem') }, /none\.pem: cannot be read/],
    ['a file without certificates', { TSA_ROOTS_FILE: file('keys.json') }, /at least one PEM certificate/],
  ])('refuses to start with %s', async (_name, members, message) => {
    const error: unknown = await startNode({ ...env, ...members }).catch((reason: unknown) => reason);
    expect(String(error)).toMatch(message);
    expect(String(error)).not.toContain('canary');
  });
});
