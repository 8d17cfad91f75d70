import fs, { appendFileSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { certificates } from '@cer/client';

import { EXIT } from '../exit-code.js';
import { cer } from '../testing/console.js';

const ORPHAN = `999999999-${'0'.repeat(16)}.ndjson`;
/** A segment of a process that runs. */
const RUNNING = `${process.ppid}-${'0'.repeat(16)}.ndjson`;
const env = { CER_API_KEY: 'key' };

let dir: string;
let node: Server | undefined;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'cer-spool-command-'));
  await produce();
});
afterEach(() => {
  node?.closeAllConnections();
  node?.close();
  jest.restoreAllMocks();
  rmSync(dir, { recursive: true, force: true });
});

/** Leaves two calls and a project, like a program that ended while no node answered. */
async function produce(): Promise<void> {
  const program = certificates({ appId: 'tests', nodeUrl: 'http://127.0.0.1:9', spoolDir: dir });
  const add = program.tool('add', (a: number, b: number) => a + b);
  await program.run({ project: 'sums' }, () => add(1, 2) + add(3, 4));
  await program.close({ timeoutMs: 0 });
  const [own = ''] = readdirSync(dir);
  renameSync(join(dir, own), join(dir, ORPHAN));
}

/** A node that takes every bundle, or refuses each with a code. */
async function startNode(code?: string): Promise<string> {
  node = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const isBatch = request.url === '/api/attest-batch';
      response.statusCode = code !== undefined && !isBatch ? 400 : 200;
      const answerTo = (bundle: string): unknown => (code === undefined ? hashesOf(bundle) : { error: code });
      const status = code === undefined ? 200 : 400;
      const results = body
        .trimEnd()
        .split('\n')
        .map((line, index) => `${JSON.stringify({ index, status, body: answerTo(line) })}\n`);
      response.end(isBatch ? results.join('') : JSON.stringify(answerTo(body)));
    });
  });
  node.listen(0, '127.0.0.1');
  await once(node, 'listening');
  const address = node.address();
  return typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : '';
}

/** What a node answers that takes a bundle. */
function hashesOf(bundle: string): unknown {
  const { certificateHash, integrity } = JSON.parse(bundle) as {
    readonly certificateHash?: string;
    readonly integrity?: { readonly projectHash: string };
  };
  return { certificateHash, projectHash: integrity?.projectHash };
}

const parsed = (text: string): unknown => JSON.parse(text);

describe('cer spool status', () => {
  it('counts waiting bundles', async () => {
    const said = await cer(['spool', 'status', dir]);
    expect(said.exitCode).toBe(EXIT.notJudged);
    expect(parsed(said.stdout)).toMatchObject({
      waiting: 3,
      dead: 0,
      segments: [{ name: ORPHAN, isRunning: false, torn: 0, waiting: 3 }],
    });
  });

  it('is content with an empty folder', async () => {
    rmSync(join(dir, ORPHAN));
    const said = await cer(['spool', 'status', dir]);
    expect({ ...said, stdout: parsed(said.stdout) }).toEqual({
      exitCode: EXIT.verified,
      stdout: { waiting: 0, oldest: null, dead: 0, segments: [] },
      stderr: '',
    });
  });

  it('refuses a folder that is not there', async () => {
    const said = await cer(['spool', 'status', join(dir, 'none')]);
    expect(said.exitCode).toBe(EXIT.usage);
    expect(said.stderr).toContain('no such folder');
  });
});

describe('cer spool verify', () => {
  it('checks lines, certificates and projects', async () => {
    const said = await cer(['spool', 'verify', dir]);
    expect(parsed(said.stdout)).toEqual({ status: 'VERIFIED', checked: 3, findings: [] });
    expect(said.exitCode).toBe(EXIT.verified);
  });

  it('does not call an empty folder verified', async () => {
    rmSync(join(dir, ORPHAN));
    const said = await cer(['spool', 'verify', dir]);
    expect(parsed(said.stdout)).toEqual({ status: 'EMPTY', checked: 0, findings: [] });
    expect(said.exitCode).toBe(EXIT.verified);
  });

  it('finds a changed and a truncated line', async () => {
    const path = join(dir, ORPHAN);
    writeFileSync(path, readFileSync(path, 'utf8').replace('"model":"add"', '"model":"sub"'));
    appendFileSync(path, '{"n":4,"sha256":"ab');
    const said = await cer(['spool', 'verify', dir]);
    expect(parsed(said.stdout)).toMatchObject({
      status: 'FAILED',
      checked: 2,
      findings: [`${ORPHAN}: 2 lines are torn or changed`],
    });
    expect(said.exitCode).toBe(EXIT.failed);
  });
});

describe('cer spool drain', () => {
  it('sends everything once', async () => {
    const url = await startNode();
    const said = await cer(['spool', 'drain', dir, '--node', url], { env });
    expect(parsed(said.stdout)).toMatchObject({ attested: 2, projects: 1, refused: [], waiting: 0, adopted: 1 });
    expect(said.exitCode).toBe(EXIT.verified);
    expect(readdirSync(dir)).toEqual([]);
  });

  it('names the codes of refusals, and keeps the bundles', async () => {
    const url = await startNode('VALIDATION_ERROR');
    const said = await cer(['spool', 'drain', dir, '--node', url], { env });
    expect(parsed(said.stdout)).toMatchObject({ attested: 0, refused: Array(3).fill('VALIDATION_ERROR'), waiting: 0 });
    expect(said.exitCode).toBe(EXIT.failed);
    expect(readFileSync(join(dir, 'dead.ndjson'), 'utf8').trimEnd().split('\n')).toHaveLength(3);
  });

  it('gives up after its time, and loses nothing', async () => {
    const said = await cer(['spool', 'drain', dir, '--node', 'http://127.0.0.1:9', '--wait', '0.2'], { env });
    expect(parsed(said.stdout)).toMatchObject({ attested: 0, waiting: 3, ofRunning: 0 });
    expect(said.exitCode).toBe(EXIT.notJudged);
  });

  it('leaves what a running process writes, and says so', async () => {
    const url = await startNode();
    renameSync(join(dir, ORPHAN), join(dir, RUNNING));
    const said = await cer(['spool', 'drain', dir, '--node', url], { env });
    expect(parsed(said.stdout)).toMatchObject({ attested: 0, waiting: 3, ofRunning: 3 });
    expect(said.exitCode).toBe(EXIT.notJudged);
  });

  it('sends a copy, whose process ids are those of others', async () => {
    const url = await startNode();
    renameSync(join(dir, ORPHAN), join(dir, RUNNING));
    const said = await cer(['spool', 'drain', dir, '--copy', '--node', url], { env });
    expect(parsed(said.stdout)).toMatchObject({ attested: 2, projects: 1, waiting: 0, ofRunning: 0 });
    expect(said.exitCode).toBe(EXIT.verified);
    expect(readdirSync(dir)).toEqual([]);
  });

  it('counts what it could not take over', async () => {
    const url = await startNode();
    jest.spyOn(fs, 'renameSync').mockImplementation(() => {
      throw new Error('read-only file system');
    });
    const said = await cer(['spool', 'drain', dir, '--node', url], { env });
    expect(parsed(said.stdout)).toMatchObject({ attested: 0, waiting: 3, faults: ['read-only file system'] });
    expect(said.exitCode).toBe(EXIT.notJudged);
  });
});
