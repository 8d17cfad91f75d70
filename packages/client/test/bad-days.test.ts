import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { certificates, type Certificates, type CertificatesOptions } from '../src/index.js';
import {
  events,
  sendJson,
  startModelServer,
  startStream,
  type ModelHandler,
  type ModelServer,
} from './model-server.js';
import { hashOf, NODE_DOWN, ObservedProgram } from './observed-program.js';

const PATH = '/v1/chat/completions';
const request = { model: 'example-1', messages: [{ role: 'user', content: 'the secret of the caller' }] };

const answers: ModelHandler = (_, response) => {
  sendJson(response, { id: 'same-id', choices: [] });
};

async function ask(cer: Certificates, url: string, body: unknown = request): Promise<string> {
  return (await cer.fetch()(`${url}${PATH}`, { method: 'POST', body: JSON.stringify(body) })).text();
}

describe('the folder of the spool', () => {
  let dir: string;
  let server: ModelServer;
  const open: Certificates[] = [];
  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'cer-bad-days-'));
    server = await startModelServer(answers);
  });
  afterEach(async () => {
    for (const cer of open.splice(0)) await cer.close({ timeoutMs: 0 });
    await server.close();
    jest.restoreAllMocks();
    rmSync(dir, { recursive: true, force: true });
  });

  function program(options: Partial<CertificatesOptions> = {}): Certificates {
    const cer = certificates({ appId: 'tests', nodeUrl: NODE_DOWN, spoolDir: dir, ...options });
    open.push(cer);
    return cer;
  }
  const segments = (): string[] => readdirSync(dir).filter((name) => /^\d.*\.ndjson$/.test(name));

  it('is shared by two clients, each with its segment', async () => {
    const [first, second] = [program(), program()];
    await Promise.all([ask(first, server.url), ask(second, server.url)]);
    expect(segments()).toHaveLength(2);
    expect([first.stats().waiting, second.stats().waiting]).toEqual([1, 1]);
  });

  it('may have files of others, which stay', () => {
    const foreign = ['notes.txt', '12-short.ndjson', `x-${'0'.repeat(16)}.ndjson`];
    for (const name of foreign) writeFileSync(join(dir, name), 'not a segment\n');
    expect(program().stats()).toMatchObject({ adopted: 0, torn: 0, waiting: 0 });
    expect(foreign.filter((name) => existsSync(join(dir, name)))).toEqual(foreign);
  });

  it('may have a segment with changed and foreign lines, which are counted and not sent', async () => {
    const first = program();
    await ask(first, server.url);
    await first.close({ timeoutMs: 0 });
    const [own = ''] = segments();
    const line = readFileSync(join(dir, own), 'utf8');
    rmSync(join(dir, own));
    const orphan = join(dir, `999999999-${'0'.repeat(16)}.ndjson`);
    writeFileSync(orphan, line.replace('example-1', 'example-2'));
    appendFileSync(orphan, `not a line\n${line}{"n":4,"sha`);
    const sent: string[] = [];
    const node = await startModelServer((body, response) => {
      sent.push(body);
      response.end(`${JSON.stringify({ index: 0, status: 200, body: { certificateHash: 'x' } })}\n`);
    });
    const second = program({ nodeUrl: node.url });
    expect(second.stats()).toMatchObject({ adopted: 1, waiting: 1 });
    expect(await second.flush()).toEqual({ waiting: 0 });
    await node.close();
    expect(sent).toHaveLength(1);
    expect(sent[0]).toContain('example-1');
    expect(second.stats()).toMatchObject({ attested: 1, torn: 3 });
  });

  it('that has no room costs no answer, and bundles wait in memory', async () => {
    // A device whose writes fail as on a full disk.
    const cer = program();
    await ask(cer, server.url);
    const [segment = ''] = segments();
    expect(readFileSync(join(dir, segment), 'utf8')).toContain('"n":1');
    rmSync(dir, { recursive: true });
    writeFileSync(dir, 'the folder is a file now');
    expect(await ask(program(), server.url)).toContain('same-id');
    rmSync(dir);
    const [, second] = open;
    expect(second?.stats()).toMatchObject({ sealed: 1, waiting: 1, dropped: 0 });
    expect(second?.stats().errors).toBeGreaterThan(0);
  });

  it('is full when its oldest bundle is too old', async () => {
    const cer = program({ maxSpoolAgeMs: 60_000, onFull: 'throw-before-call' });
    await ask(cer, server.url);
    expect(cer.stats().oldestMs).toBeLessThan(60_000);
    const later = Date.now() + 61_000;
    jest.spyOn(Date, 'now').mockReturnValue(later);
    await expect(ask(cer, server.url)).rejects.toThrow('the spool of certificates is full');
    expect(server.requests()).toBe(1);
    // A clock that is set back makes no bundle old.
    jest.spyOn(Date, 'now').mockReturnValue(later - 7_200_000);
    expect(await ask(cer, server.url)).toContain('same-id');
    expect(cer.stats()).toMatchObject({ sealed: 2, oldestMs: 0 });
  });
});

describe('a program', () => {
  let program: ObservedProgram;
  afterEach(async () => program.end());

  it('gets garbage as it is', async () => {
    const bytes = Buffer.from([0xff, 0xfe, 0, 1, 2, 0x7b]);
    program = await ObservedProgram.start((_, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(bytes);
    });
    const init = { method: 'POST', body: JSON.stringify(request) };
    const response = await program.cer.fetch()(`${program.server.url}${PATH}`, init);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
    expect(program.calls()).toMatchObject([{ payload: { outcome: 'complete', outputIs: 'body' } }]);
  });

  it('sends and gets 50 MB', async () => {
    const content = 'x'.repeat(50 * 1024 * 1024);
    program = await ObservedProgram.start((body, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(body);
    });
    const body = { ...request, messages: [{ role: 'user', content }] };
    const answer = await ask(program.cer, program.server.url, body);
    expect(answer).toHaveLength(JSON.stringify(body).length);
    const [call] = program.calls();
    expect(call?.payload).toMatchObject({ outputIs: 'bytes', responseBytes: answer.length });
    expect(call?.snapshot).toMatchObject({ inputHash: hashOf(body) });
  });

  it('may stop reading, and is not kept from ending', async () => {
    program = await ObservedProgram.start((_, response) => {
      startStream(response);
      for (const event of events('Hel', 'lo').slice(0, 2)) response.write(event);
    });
    const init = { method: 'POST', body: JSON.stringify({ ...request, stream: true }) };
    const response = await program.cer.fetch()(`${program.server.url}${PATH}`, init);
    await response.body?.getReader().read();
    expect(program.cer.stats()).toMatchObject({ seen: 1, open: 1, sealed: 0 });
    expect(await program.cer.flush({ timeoutMs: 1000 })).toEqual({ waiting: 0 });
  });

  it('has a lone surrogate in its request certified as the text that was sent', async () => {
    program = await ObservedProgram.start(answers);
    const body = { ...request, messages: [{ role: 'user', content: '\ud800' }] };
    await ask(program.cer, program.server.url, body);
    expect(program.calls()[0]?.snapshot).toMatchObject({ inputHash: hashOf(JSON.stringify(body)) });
  });
});
