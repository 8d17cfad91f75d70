import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isJsonObject, member, parseJson, type JsonObject } from '@cer/canonical-json';
import { timestampDigest, timestampedText } from '@cer/cer-core/attest';
import { builtProgram } from '@cer/http-service/testing';
import { createOpensslTsa, serveTsa, type OpensslTsa, type ServedTsa } from '@cer/timestamps/testing';
import { PATIENCE_MS, root } from './npm-start.js';

// A node with an offline root key and a timestamping authority, and the command line: which certificates outlive a
// leaked signing key.

const ADMIN_SECRET = 'secret of the test administrator';
const mainOfNode = (): string => builtProgram('apps/node/src/main.ts');
const folder = mkdtempSync(join(tmpdir(), 'cer-keys-'));
const file = (name: string): string => join(folder, name);

interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(script: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Said> {
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], { env: { ...process.env, ...env } }, (error, stdout, stderr) => {
      // A signal that ends it leaves no number.
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, stdout, stderr });
    });
  });
}

const cer = (...args: readonly string[]): Promise<Said> =>
  run(join(root, 'apps/cli/bin/cer.js'), args, { XDG_STATE_HOME: file('state') });

let tsa: OpensslTsa;
let served: ServedTsa;
let node: ChildProcess;
let url: string;
let apiKey: string;

beforeAll(async () => {
  tsa = createOpensslTsa();
  served = await serveTsa((query) => tsa.reply(query));
  const env = {
    PORT: '0',
    // The root key is outside the data folder.
    NODE_ENV: 'production',
    DATABASE_URL: `sqlite:${file('node.sqlite')}`,
    KEYS_FILE: file('keys.json'),
    COMMITMENT_SECRET_FILE: file('secrets.json'),
    ADMIN_SECRET,
    TSA_URLS: served.url,
    TSA_ROOTS_FILE: tsa.rootFile,
  };
  apiKey = (await run(mainOfNode(), ['api-key', 'create', '--tenant', 'acme'], env)).stdout.trim();
  node = spawn(process.execPath, [mainOfNode()], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  url = await new Promise((resolve, reject) => {
    let log = '';
    node.stdout?.setEncoding('utf8').on('data', (text: string) => {
      log += text;
      const found = /"url":"([^"]+)"/.exec(log)?.[1];
      if (found !== undefined) resolve(found);
    });
    node.once('exit', () => {
      reject(new Error(`the node did not start: ${log}`));
    });
  });
}, PATIENCE_MS);

afterAll(async () => {
  const ended = new Promise((resolve) => node.once('exit', resolve));
  node.kill('SIGTERM');
  await ended;
  await served.close();
  tsa.remove();
  rmSync(folder, { recursive: true, force: true });
}, PATIENCE_MS);

async function answer(
  path: string,
  init?: RequestInit,
): Promise<{ readonly status: number; readonly body: JsonObject }> {
  const response = await fetch(`${url}${path}`, init);
  const body = parseJson(await response.text());
  if (!isJsonObject(body)) throw new Error(`${path}: ${response.status} is not an object`);
  return { status: response.status, body };
}

const post = (path: string, body: string, headers: Record<string, string>) =>
  answer(path, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });
const admin = (path: string, body: string) => post(path, body, { 'x-admin-secret': ADMIN_SECRET });

async function certify(executionId: string): Promise<string> {
  const request = JSON.stringify({ executionId, provider: 'p', model: 'm', input: 'in', output: 'out' });
  const { body } = await post('/v1/cer/ai/certify', request, { authorization: `Bearer ${apiKey}` });
  return textIn(body, 'certificateHash');
}

const lookUp = async (hash: string): Promise<JsonObject> =>
  (await answer(`/v1/cer/public?certificate_hash=${encodeURIComponent(hash)}`)).body;

function objectIn(object: JsonObject, name: string): JsonObject {
  const value = member(object, name);
  if (!isJsonObject(value)) throw new Error(`there is no object ${name}`);
  return value;
}

function textIn(object: JsonObject, name: string): string {
  const value = member(object, name);
  if (typeof value !== 'string') throw new Error(`there is no text ${name}`);
  return value;
}

let signings = 0;

/** The operator's step after each key change: sign the published history and submit it. */
async function signAndHandIn(): Promise<string> {
  signings += 1;
  const out = file(`signed-${signings}.json`);
  const said = await cer('keys', 'root', 'sign', '--root', file('root.json'), '--history', url, '--out', out, '--yes');
  expect(said).toMatchObject({ code: 0, stderr: '' });
  const taken = await admin('/v1/admin/key-history', readFileSync(out, 'utf8'));
  expect(taken).toMatchObject({ status: 200, body: { version: signings } });
  return out;
}

describe('a node with offline root and time-stamping authority', () => {
  let fingerprint: string;
  let timestamped: string;
  let untimestamped: string;

  it('publishes a history that the root signed', async () => {
    const made = await cer('keys', 'root', 'init', '--out', file('root.json'));
    fingerprint = /sha256:[0-9a-f]{64}/.exec(made.stdout)?.[0] ?? '';
    const signed = await signAndHandIn();
    const published = await answer('/.well-known/svc-key-history.json');
    expect(published.body).toEqual(parseJson(readFileSync(signed)));
    const nodeId = ['--node-id', textIn(published.body, 'nodeId')];
    const verified = await cer('keys', 'history', 'verify', url, '--root', fingerprint, ...nodeId);
    expect(verified).toMatchObject({ code: 0, stderr: '' });
  });

  it('has its receipt timestamped; OpenSSL accepts the token', async () => {
    const hash = await certify('timestamped');
    let record = await lookUp(hash);
    for (let looks = 0; record['status'] !== 'EXTERNALLY_TIMESTAMPED' && looks < 2000; looks += 1) {
      await sleep(50);
      record = await lookUp(hash);
    }
    expect(record).toMatchObject({ status: 'EXTERNALLY_TIMESTAMPED', timestamp: { type: 'rfc3161' } });
    const token = Buffer.from(textIn(objectIn(record, 'timestamp'), 'token'), 'base64');
    const digest = timestampDigest(timestampedText(objectIn(record, 'receipt'), textIn(record, 'signature')));
    expect(await tsa.accepts(token, digest)).toContain('Verification: OK');
    timestamped = file('timestamped.json');
    writeFileSync(timestamped, JSON.stringify(record));

    served.behave('refuse');
    untimestamped = file('untimestamped.json');
    writeFileSync(untimestamped, JSON.stringify(await lookUp(await certify('untimestamped'))));
  });

  it('loses only untimestamped certificates to a leaked key', async () => {
    // The authority states its time to 1.5 s.
    await sleep(2000);
    const { body: keySet } = await answer('/.well-known/svc-node.json');
    const revocation = JSON.stringify({ reason: 'keyCompromise', compromisedSince: new Date().toISOString() });
    const revoked = await admin(`/v1/admin/keys/${textIn(keySet, 'activeKid')}/revoke`, revocation);
    expect(revoked.status).toBe(200);
    const signed = await signAndHandIn();
    const verify = (path: string, ...flags: readonly string[]): Promise<Said> =>
      cer('verify', path, '--history', signed, '--root', fingerprint, ...flags);
    const saved = await verify(timestamped, '--tsa-roots', tsa.rootFile);
    expect(saved).toMatchObject({ code: 0, stderr: '' });
    expect(saved.stdout.split('\n')[0]).toBe('VERIFIED');
    expect(saved.stdout.replace(/\s+/g, ' ')).toContain('the timestamp shows that the signature is older');
    for (const lost of [await verify(timestamped), await verify(untimestamped, '--tsa-roots', tsa.rootFile)]) {
      expect(lost.code).toBe(1);
      expect(JSON.parse(lost.stderr)).toMatchObject({ reason: 'KEY_REVOKED' });
    }
    // The node reports the same.
    for (const [path, status] of [
      [timestamped, 'verified'],
      [untimestamped, 'failed'],
    ] as const) {
      const { cer: bundle } = parseJson(readFileSync(path)) as { readonly cer: JsonObject };
      expect((await post('/v1/cer/verify', JSON.stringify({ bundle }), {})).body).toMatchObject({ status });
    }
  });
});
