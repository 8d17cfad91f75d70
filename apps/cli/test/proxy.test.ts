import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { cer } from '../src/testing/console.js';

// The built command before a provider and a node. test/global-setup.mjs builds it first.

const BIN = join(__dirname, '..', 'bin', 'cer.js');
const SECRET = 'the secret of the caller';
const CHAT = {
  id: 'chat-1',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
};
/** Nothing listens there. */
const NODE_DOWN = 'http://127.0.0.1:9';

let folder: string;
let provider: Server;
let node: Server;
let running: ChildProcess | undefined;

async function listening(server: Server): Promise<Server> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
const addressOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cer-proxy-'));
  provider = await listening(
    createServer((asked, answer) => {
      void text(asked).then((body) => {
        if (body.includes('"hold":true')) {
          answer.write('{"id":');
          return;
        }
        const isStream = body.includes('"stream":true');
        answer.setHeader('content-type', isStream ? 'text/event-stream' : 'application/json');
        const chunk = { ...CHAT, choices: [{ index: 0, delta: { content: 'Hello' }, finish_reason: 'stop' }] };
        answer.end(isStream ? `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n` : JSON.stringify(CHAT));
      });
    }),
  );
  node = await listening(
    createServer((asked, answer) => {
      void text(asked).then((body) => {
        const results = body
          .trimEnd()
          .split('\n')
          .map((line, index) => {
            const bundle = JSON.parse(line) as { readonly certificateHash: string };
            return `${JSON.stringify({ index, status: 200, body: { ok: true, cer: bundle, ...bundle } })}\n`;
          });
        answer.end(results.join(''));
      });
    }),
  );
});
afterEach(async () => {
  if (running?.exitCode === null) running.kill('SIGKILL');
  for (const server of [provider, node]) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  rmSync(folder, { recursive: true, force: true });
});

interface Started {
  readonly url: string;
  /** The lines of standard output. */
  readonly lines: AsyncIterator<string>;
  /** Interrupts it. @returns its exit code and the last line of its standard error */
  readonly end: () => Promise<readonly [code: number | null, said: string | undefined]>;
}

/** @param flags `>FILE` is where standard output goes */
async function start(...flags: readonly string[]): Promise<Started> {
  const file = flags.find((flag) => flag.startsWith('>'))?.slice(1);
  const given = flags.filter((flag) => !flag.startsWith('>'));
  const args = [BIN, 'proxy', addressOf(provider), '--port', '0', '--spool', folder, '--app-id', 'desk', ...given];
  const process_ = spawn(process.execPath, args, {
    env: { CER_NODE_URL: addressOf(node), CER_API_KEY: 'key' },
    stdio: ['ignore', file === undefined ? 'pipe' : openSync(file, 'w'), 'pipe'],
  });
  running = process_;
  const said: string[] = [];
  const errors = createInterface(process_.stderr ?? Readable.from([])).on('line', (line) => said.push(line));
  await once(errors, 'line');
  return {
    url: /^(\S+) forwards to /.exec(said[0] ?? '')?.[1] ?? `it said ${said[0] ?? 'nothing'}`,
    lines: createInterface(process_.stdout ?? Readable.from([]))[Symbol.asyncIterator](),
    end: async () => {
      const ended = once(process_, 'close');
      process_.kill('SIGINT');
      await ended;
      return [process_.exitCode, said.at(-1)];
    },
  };
}

async function chat(url: string, more: object = {}): Promise<string> {
  const body = JSON.stringify({ model: 'example-1', messages: [{ role: 'user', content: SECRET }], ...more });
  const headers = { 'content-type': 'application/json', authorization: 'Bearer provider-key' };
  return (await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })).text();
}

describe('cer proxy', () => {
  it('certifies calls and streams, and says their hashes', async () => {
    const { url, lines, end } = await start();
    expect(await chat(url)).toBe(JSON.stringify(CHAT));
    expect(await chat(url, { stream: true })).toContain('data: [DONE]\n\n');
    await (await fetch(`${url}/v1/models`)).text();
    for (let at = 0; at < 2; at += 1) {
      const line = String((await lines.next()).value);
      expect(JSON.parse(line)).toMatchObject({ certificateHash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) });
      expect(line).not.toContain(SECRET);
    }
    expect(await end()).toEqual([0, '2 calls, 2 sealed, 2 attested, 0 waiting']);
  });

  it('certifies a program that knows nothing of it, with the SDK of OpenAI', async () => {
    const { url, end } = await start();
    const program = join(__dirname, '../../../packages/client/test/apps/registered.mjs');
    const env = { PATH: process.env['PATH'], MODEL_URL: `${url}/v1` };
    const { stdout } = await promisify(execFile)(process.execPath, [program], { env });
    expect(stdout).toBe('Hello\n');
    expect(await end()).toEqual([0, '1 call, 1 sealed, 1 attested, 0 waiting']);
  });

  it('certifies what curl sends as a form', async () => {
    const { url, end } = await start();
    for (const type of ['application/x-www-form-urlencoded', 'text/plain']) {
      const init = { method: 'POST', headers: { 'content-type': type }, body: '{"model":"llama3.2","prompt":"a"}' };
      await (await fetch(`${url}/api/generate`, init)).text();
    }
    expect(await end()).toEqual([0, '2 calls, 2 sealed, 2 attested, 0 waiting']);
  });

  it('says which calls have no certificate', async () => {
    const { url, end } = await start();
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const init = { method: 'POST', headers, body: gzipSync('{"model":"m"}') };
    await (await fetch(`${url}/v1/chat/completions`, init)).text();
    expect(await end()).toEqual([0, '1 call, 0 sealed, 0 attested, 0 waiting, 1 without a certificate']);
  });

  it('ends calls when it is interrupted twice, and certifies them as far as they came', async () => {
    const { url, end } = await start('--node', NODE_DOWN, '--timeout', '1');
    const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body: '{"model":"m","hold":true}' });
    const reader = answer.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('{"id":');
    const ended = end();
    // It has taken the first signal when it takes no more connections.
    while (
      await fetch(url).then(
        () => true,
        () => false,
      )
    )
      await new Promise((resolve) => setTimeout(resolve, 10));
    running?.kill('SIGINT');
    await expect(reader?.read()).rejects.toThrow();
    expect(await ended).toEqual([4, '1 call, 1 sealed, 0 attested, 1 waiting']);
    const { stdout } = await cer(['spool', 'verify', folder]);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'VERIFIED', checked: 1 });
    expect(readFileSync(join(folder, readdirSync(folder)[0] ?? ''), 'utf8')).toContain('"outcome":"aborted"');
  }, 60_000);

  it('goes on without its output, and ends with a failure', async () => {
    const { url, end } = await start('>/dev/full');
    expect(await chat(url)).toBe(JSON.stringify(CHAT));
    // Attested, and its line cannot be written.
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await chat(url)).toBe(JSON.stringify(CHAT));
    expect(await end()).toEqual([1, '2 calls, 2 sealed, 2 attested, 0 waiting']);
  });

  it('keeps certificates while the node is away, also when it is killed', async () => {
    const { url } = await start('--node', NODE_DOWN);
    await chat(url);
    running?.kill('SIGKILL');
    await once(running ?? provider, 'close');
    const { stdout } = await cer(['spool', 'verify', folder]);
    expect(JSON.parse(stdout)).toEqual({ status: 'VERIFIED', checked: 1, findings: [] });
  });

  it('says that certificates wait', async () => {
    const { url, end } = await start('--node', NODE_DOWN, '--timeout', '1');
    await chat(url);
    expect(await end()).toEqual([4, '1 call, 1 sealed, 0 attested, 1 waiting']);
  }, 60_000);

  it('refuses calls without a certificate where it is told to', async () => {
    const { url, end } = await start('--refuse-when-full', '--node', NODE_DOWN, '--max-spool-bytes', '0');
    expect(JSON.parse(await chat(url))).toEqual({
      error: { message: 'cer proxy: the call was not made: the spool of certificates is full', type: 'cer_proxy' },
    });
    expect(await end()).toEqual([0, '0 calls, 0 sealed, 0 attested, 0 waiting']);
  });

  it.each<[string, readonly string[]]>([
    ['a port that is taken', ['--port', 'TAKEN']],
    ['a port that is none', ['--port', '65536']],
    ['a limit that is none', ['--max-spool-bytes', '1e9']],
    ['an address that is none', ['--', 'api.openai.com']],
  ])('refuses %s', async (_, given) => {
    const port = String((provider.address() as AddressInfo).port);
    const flags = given.map((flag) => flag.replace('TAKEN', port));
    const address = given.includes('--') ? [] : [addressOf(provider)];
    const env = { CER_NODE_URL: addressOf(node), CER_API_KEY: 'key', CER_SPOOL_DIR: folder };
    const said = await cer(['proxy', ...address, ...flags], { env });
    expect([said.exitCode, said.stderr]).toEqual([3, expect.stringMatching(/^cer: (--port|--max-spool-bytes|URL): /)]);
  });

  it.each(['--app-id', '--provider'])('refuses a %s that no certificate takes', async (flag) => {
    const env = { CER_NODE_URL: addressOf(node), CER_API_KEY: 'key', CER_SPOOL_DIR: folder };
    for (const text of ['', 'x'.repeat(257)]) {
      const said = await cer(['proxy', addressOf(provider), '--port', '65536', flag, text], { env });
      expect(said).toMatchObject({ exitCode: 3, stderr: `cer: ${flag}: must have 1 to 256 characters\n` });
    }
    const said = await cer(['proxy', addressOf(provider), '--port', '65536', flag, 'a\n'], { env });
    expect(said).toMatchObject({ exitCode: 3, stderr: `cer: ${flag}: must not have control characters\n` });
  });
});
