import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TEST_NODE_ID, TEST_SIGNER } from '@cer/cer-core/testing';
import { testKeySet } from '@cer/keys/testing';
import { TestLog, testPolicy, TestWitness } from '@cer/tlog/testing';
import { Folder } from '../src/testing/files.js';
import { LocalServers } from '../src/testing/local-servers.js';

// The built command, and a node whose package does not end.

const BIN = join(__dirname, '..', 'bin', 'cer.js');
const KEY_SET = JSON.stringify(testKeySet({ nodeId: TEST_NODE_ID, signers: [{ signer: TEST_SIGNER }] }));
const servers = new LocalServers();
const folder = new Folder();
const keyFile = folder.write('key', 'cer_live_test\n');
const temporary = folder.file('tmp');
let node = '';
beforeAll(async () => {
  mkdirSync(temporary);
  node = await servers.serve(({ url }, response) => {
    if (url?.startsWith('/v1/records/export') === true) response.write('the beginning');
    else if (url === '/.well-known/svc-node.json') response.end(KEY_SET);
    else notFound(response);
  });
});
afterAll(async () => {
  await servers.close();
  folder.remove();
});

function notFound(response: ServerResponse): void {
  response.writeHead(404).end();
}

/** Ends a command once the beginning of its package is in a file. @returns code and signal of its end, and its output */
async function interrupted(args: readonly string[], part: () => string, signal: NodeJS.Signals): Promise<unknown[]> {
  const call = [BIN, ...args, '--api-key-file', keyFile];
  const env = { TMPDIR: temporary, XDG_STATE_HOME: folder.file('state') };
  const child = spawn(process.execPath, call, { stdio: 'pipe', env });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (said += text.toString()));
  const closed = once(child, 'close');
  while ((statSync(part(), { throwIfNoEntry: false })?.size ?? 0) === 0) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  child.kill(signal);
  return [...((await closed) as unknown[]), said];
}

describe.each(['SIGINT', 'SIGTERM'] as const)('ended by %s', (signal) => {
  it('an export leaves no part of its file', async () => {
    const out = folder.file('package.zip');
    const end = await interrupted(['records', 'export', '--out', out, '--node', node], () => `${out}.part`, signal);
    expect(end).toEqual([null, signal, '']);
    expect(readdirSync(folder.path).filter((name) => name.startsWith('package'))).toEqual([]);
  });

  it('a monitor leaves no records of its account', async () => {
    const policy = folder.write('policy.txt', testPolicy([new TestLog('node.example/log')], [new TestWitness('w1')]));
    const part = (): string => join(temporary, readdirSync(temporary)[0] ?? 'none', 'package.zip.part');
    const end = await interrupted(['log', 'monitor', node, '--log-policy', policy], part, signal);
    expect(end).toEqual([null, signal, '']);
    expect(readdirSync(temporary)).toEqual([]);
  });
});
