import { createHash } from 'node:crypto';
import { once } from 'node:events';
import fs, { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { certificates, type Certificates, type CertificatesOptions } from '../src/index.js';
import type { Outcome } from '../src/outcome.js';
import {
  events,
  sendJson,
  startModelServer,
  startStream,
  type ModelHandler,
  type ModelServer,
} from './model-server.js';
import { hashOf, NODE_DOWN, ObservedProgram } from './observed-program.js';

/** Everything but `Date`. */
const TIMERS = [
  ...(['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate'] as const),
  ...(['nextTick', 'queueMicrotask', 'performance', 'hrtime'] as const),
];
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

  it('may be on a disk that fails when the client closes', async () => {
    const faults: unknown[] = [];
    const cer = program({ onError: (error) => faults.push(error) });
    await ask(cer, server.url);
    jest.spyOn(fs, 'fdatasyncSync').mockImplementation(() => {
      throw new Error('EIO');
    });
    await cer.close({ timeoutMs: 0 });
    expect(faults.map(String)).toContain('Error: EIO');
    expect(segments()).toHaveLength(1);
  });

  it('may have files of others, which stay', () => {
    const foreign = ['notes.txt', '12-short.ndjson', `x-${'0'.repeat(16)}.ndjson`];
    for (const name of foreign) writeFileSync(join(dir, name), 'not a segment\n');
    expect(program().stats()).toMatchObject({ adopted: 0, torn: 0, waiting: 0 });
    expect(foreign.filter((name) => existsSync(join(dir, name)))).toEqual(foreign);
  });

  it('may have changed and foreign lines, counted but not sent', async () => {
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
      response.end(`{"index":0,"status":200,"body":${body.trimEnd()}}\n`);
    });
    const second = program({ nodeUrl: node.url });
    expect(second.stats()).toMatchObject({ adopted: 1, waiting: 1 });
    expect(await second.flush()).toEqual({ waiting: 0 });
    await node.close();
    expect(sent).toHaveLength(1);
    expect(sent[0]).toContain('example-1');
    expect(second.stats()).toMatchObject({ attested: 1, torn: 3 });
  });

  it('may be a file, and bundles then wait in memory', async () => {
    rmSync(dir, { recursive: true });
    writeFileSync(dir, 'not a folder');
    const cer = program();
    expect(await ask(cer, server.url)).toContain('same-id');
    expect(cer.stats()).toMatchObject({ sealed: 1, waiting: 1, dropped: 0 });
    expect(cer.stats().errors).toBeGreaterThan(0);
    expect(readFileSync(dir, 'utf8')).toBe('not a folder');
  });

  it('keeps the bundles of a node that never answers, whose request ends with the client', async () => {
    const ended: Promise<unknown>[] = [];
    const node = await startModelServer((_, response) => void ended.push(once(response, 'close')));
    const cer = program({ nodeUrl: node.url });
    await ask(cer, server.url);
    while (ended.length === 0) await cer.flush({ timeoutMs: 10 });
    await cer.close({ timeoutMs: 0 });
    await Promise.all(ended);
    await node.close();
    expect(cer.stats()).toMatchObject({ waiting: 1, errors: 0 });
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

  it('gets calls during which the clock is set back', async () => {
    const slow = await startModelServer((_, response) => {
      jest.useFakeTimers({ doNotFake: TIMERS, now: Date.now() - 7_200_000 });
      sendJson(response, { choices: [] });
    });
    try {
      const cer = program();
      await ask(cer, slow.url);
      expect(cer.stats()).toMatchObject({ sealed: 1, unsealed: 0, waiting: 1 });
    } finally {
      jest.useRealTimers();
      await slow.close();
    }
  });
});

/** The parts of an answer that a program sees: its head, the hash of its bytes, and its error. */
async function seen(fetching: typeof fetch, url: string): Promise<unknown> {
  const init = { method: 'POST', body: JSON.stringify({ ...request, stream: true }) };
  const hash = createHash('sha256');
  let head: unknown = null;
  let error: unknown = null;
  try {
    const response = await fetching(url, init);
    const { status, statusText, redirected, type } = response;
    const headers: string[] = [];
    response.headers.forEach((value, name) => {
      if (!['date', 'x-request-id'].includes(name)) headers.push(`${name}: ${value}`);
    });
    head = { status, statusText, url: response.url, redirected, type, headers };
    const reader = response.body?.getReader();
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) hash.update(part.value);
  } catch (thrown) {
    error = namesOf(thrown);
  }
  return { head, sha256: hash.digest('hex'), error };
}

/** Structural: the errors of `fetch` are of another realm. */
function namesOf(thrown: unknown): readonly unknown[] {
  const { name, message, cause } = Object(thrown) as Readonly<Record<string, unknown>>;
  return [name, message, Reflect.get(Object(cause) as object, 'code')];
}

const answer =
  (status: number, type: string, body: string | Buffer): ModelHandler =>
  (_, response) => {
    response.writeHead(status, { 'content-type': type });
    response.end(body);
  };
const EVENTS = 'text/event-stream';
const NOISE = Buffer.from(Array.from({ length: 4096 }, (_, at) => (at * 197) % 256));
const ODD = 'data: {"choices":{"0":null}}\n\ndata: {"choices":[null,7,{"index":-1,"delta":[]}]}\n\ndata: [DONE]\n\n';

const GARBAGE: readonly (readonly [string, Outcome, ModelHandler])[] = [
  ['bytes for JSON', 'complete', answer(200, 'application/json', Buffer.from([0xff, 0, 0x7b]))],
  ['a page', 'failed', answer(502, 'text/html', '<html>Bad gateway')],
  ['events without JSON', 'truncated', answer(200, EVENTS, 'data: {not json\n\ndata: [1,2\n\nevent\n\n')],
  ['events of another shape', 'complete', answer(200, EVENTS, ODD)],
  ['random bytes as events', 'truncated', answer(200, EVENTS, NOISE)],
  ['one event without an end', 'truncated', answer(200, EVENTS, `data: ${'x'.repeat(300_000)}`)],
  [
    'no body',
    'complete',
    (_, response) => {
      response.writeHead(204).end();
    },
  ],
  [
    'a wrong length',
    'truncated',
    (_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"id":', () => response.destroy());
    },
  ],
  [
    'a wrong encoding',
    'truncated',
    (_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip');
    },
  ],
  [
    'no HTTP',
    'failed',
    (_, response) => {
      response.socket?.end('220 mail.example ESMTP\r\n');
    },
  ],
  [
    'a closed connection',
    'failed',
    (_, response) => {
      response.destroy();
    },
  ],
  [
    'a redirect to nowhere',
    'failed',
    (_, response) => {
      response.writeHead(302, { location: 'http://[/' }).end();
    },
  ],
];

describe('a program', () => {
  let program: ObservedProgram;
  afterEach(async () => program.end());

  it.each(GARBAGE)('sees what it would see without us: %s', async (_, outcome, handler) => {
    program = await ObservedProgram.start(handler);
    const url = `${program.server.url}${PATH}`;
    expect(await seen(program.cer.fetch(), url)).toEqual(await seen(fetch, url));
    expect(program.cer.stats()).toMatchObject({ seen: 1, open: 0, sealed: 1, unsealed: 0, outcomes: { [outcome]: 1 } });
    expect(program.observerFaults()).toEqual([]);
    expect(program.calls()).toHaveLength(1);
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

  it('gets its answer although the platform refuses to wait', async () => {
    program = await ObservedProgram.start(answers, {
      waitUntil: () => {
        throw new TypeError('no request is open');
      },
    });
    expect(await ask(program.cer, program.server.url)).toContain('same-id');
    expect(program.cer.stats()).toMatchObject({ sealed: 1, waiting: 1 });
    expect(String(program.observerFaults())).toBe('TypeError: no request is open');
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

  it('certifies a lone surrogate as the text that was sent', async () => {
    program = await ObservedProgram.start(answers);
    const body = { ...request, messages: [{ role: 'user', content: '\ud800' }] };
    await ask(program.cer, program.server.url, body);
    expect(program.calls()[0]?.snapshot).toMatchObject({ inputHash: hashOf(JSON.stringify(body)) });
    // The answer has a canonical form.
    expect(program.calls()[0]?.snapshot).toMatchObject({ outputHash: hashOf({ id: 'same-id', choices: [] }) });
  });

  it('certifies a request as JSON beside an answer with a lone surrogate', async () => {
    const answer = '{"id":"a","choices":["\\ud800"]}';
    program = await ObservedProgram.start((_, response) => {
      response.end(answer);
    });
    await ask(program.cer, program.server.url, request);
    expect(program.calls()[0]?.snapshot).toMatchObject({ inputHash: hashOf(request), outputHash: hashOf(answer) });
  });

  it.each([
    ['with a lone surrogate', '\\ud800'],
    ['of any length', 'x'.repeat(2_000_000)],
  ])('certifies an answer whose ids are texts %s', async (_, id) => {
    program = await ObservedProgram.start((_request, response) => {
      response.writeHead(500, { 'x-request-id': id.slice(0, 4000) });
      response.end(`{"id":"${id}","error":{"code":"${id}","type":"later"}}`);
    });
    await ask(program.cer, program.server.url, request);
    const [call] = program.calls();
    expect(call?.payload).toMatchObject({ outcome: 'failed', errorCode: 'later' });
    expect(Object.keys(call?.payload ?? {})).not.toContain('providerId');
    expect(JSON.stringify(call?.bundle).length).toBeLessThan(2000);
    expect(program.cer.of(JSON.parse(`"${id}"`))).toBeNull();
  });
});
