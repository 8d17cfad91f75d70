import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { builtProgram } from '@cer/http-service/testing';

import { startModelServer, type ModelServer } from '../model-server.js';
import { startTestNode, type TestNode } from '../test-node.js';

// Runs the programs of docs/clients.md with the real SDKs against a local model server and a node.

const ROOT = join(__dirname, '../../../..');
const EXAMPLES = join(ROOT, 'examples/clients');
const PYTHON = join(ROOT, 'scripts/python.mjs');
/** The names under which two versions of one package are installed here. */
const INSTALLED: Readonly<Record<string, readonly (readonly [name: string, installed: string])[]>> = {
  'ai-sdk.mjs': [
    ["'ai'", "'ai-7'"],
    ["'@ai-sdk/openai-compatible'", "'openai-compatible-3'"],
  ],
  'ai-sdk-6.mjs': [
    ["'ai'", "'ai-6'"],
    ["'@ai-sdk/openai-compatible'", "'openai-compatible-2'"],
  ],
};

const TEXT = 'Lisbon';
/** What a program prints beside a hash: the whole answer on one line. */
const ANSWER = /^.*Lisbon(: .*)?$/m;
const CHAT = { id: 'chatcmpl-1', object: 'chat.completion', created: 1_700_000_000, model: 'example-1' };
const RESPONSE = {
  ...{ id: 'resp_1', object: 'response', created_at: 1_700_000_000, model: 'gpt-4.1', status: 'completed' },
  output: [
    {
      ...{ id: 'msg_1', type: 'message', role: 'assistant', status: 'completed' },
      content: [{ type: 'output_text', text: TEXT, annotations: [] }],
    },
  ],
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
};

const data = (members: object, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(members)}\n\n`;
const named = (type: string, members: object): string => data({ type, ...members }, type);

const MESSAGE = { id: 'msg_1', type: 'message', role: 'assistant', model: 'example-1', content: [], stop_reason: null };
const MESSAGES =
  named('message_start', { message: { ...MESSAGE, usage: { input_tokens: 1, output_tokens: 1 } } }) +
  named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }) +
  named('content_block_delta', { index: 0, delta: { type: 'text_delta', text: TEXT } }) +
  named('content_block_stop', { index: 0 }) +
  named('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } }) +
  named('message_stop', {});

const GEMINI = data({ candidates: [{ content: { role: 'model', parts: [{ text: TEXT }] }, finishReason: 'STOP' }] });
const OLLAMA = `${JSON.stringify({ message: { role: 'assistant', content: TEXT }, done: true })}\n`;

/** The type and body of the answer of a provider. */
function answerTo(path: string, body: string): readonly [type: string, body: string] {
  const isStream = (JSON.parse(body) as { readonly stream?: boolean }).stream === true;
  if (path.endsWith(':streamGenerateContent?alt=sse')) return ['text/event-stream', GEMINI];
  if (path.endsWith('/api/chat')) return ['application/x-ndjson', OLLAMA];
  return [isStream ? 'text/event-stream' : 'application/json', compatibleAnswer(path, isStream)];
}

/** The answer of OpenAI, of a provider that is compatible with it, or of Anthropic. */
function compatibleAnswer(path: string, isStream: boolean): string {
  if (path.endsWith('/messages')) return MESSAGES;
  if (path.endsWith('/responses')) return JSON.stringify(RESPONSE);
  const message = { role: 'assistant', content: TEXT, refusal: null };
  if (!isStream) return JSON.stringify({ ...CHAT, choices: [{ index: 0, message, finish_reason: 'stop' }] });
  const chunk = { ...CHAT, object: 'chat.completion.chunk' };
  const parts = [
    { index: 0, delta: { ...message, content: TEXT.slice(0, 3) }, finish_reason: null },
    { index: 0, delta: { content: TEXT.slice(3) }, finish_reason: null },
    { index: 0, delta: {}, finish_reason: 'stop' },
  ];
  return `${parts.map((part) => data({ ...chunk, choices: [part] })).join('')}data: [DONE]\n\n`;
}

const answerAsProvider: RequestListener = (request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (text: string) => (body += text));
  request.on('end', () => {
    const [type, answer] = answerTo(request.url ?? '', body);
    response.setHeader('content-type', type);
    response.end(answer);
  });
};

let node: TestNode;
let key: string;
let models: ModelServer;
const dir = mkdtempSync(join(tmpdir(), 'cer-starts-'));

beforeAll(async () => {
  node = await startTestNode();
  key = await node.newKey();
  models = await startModelServer(answerAsProvider);
});
afterAll(async () => {
  models.close();
  await node.close();
  rmSync(dir, { recursive: true, force: true });
});

/** A program for another runtime: e2e/test/packages runs it in workerd. */
const AT_EDGE = 'worker.mjs';
const programs = readdirSync(EXAMPLES).filter((name) => name.endsWith('.mjs') && name !== AT_EDGE);
/** A program of another sender: apps/bridge/test runs it before a bridge. */
const BY_BRIDGE = 'python-opentelemetry.py';
const pythonPrograms = readdirSync(EXAMPLES).filter((name) => name.endsWith('.py') && name !== BY_BRIDGE);

describe('docs/clients.md', () => {
  it('has the programs of examples/clients, word for word', () => {
    const page = readFileSync(join(ROOT, 'docs/clients.md'), 'utf8');
    const blocks = [...page.matchAll(/^```(?:js|python)\n(.*?)^```$/gms)].map(([, text = '']) => text);
    const files = [...programs, AT_EDGE, ...pythonPrograms, BY_BRIDGE].map((name) =>
      readFileSync(join(EXAMPLES, name), 'utf8'),
    );
    expect(blocks.toSorted()).toEqual(files.toSorted());
  });

  it('begins with the lines that the README shows', () => {
    const [, lines = 'none'] =
      /^```js\n(import OpenAI .*?)^```$/ms.exec(readFileSync(join(ROOT, 'README.md'), 'utf8')) ?? [];
    expect(readFileSync(join(EXAMPLES, 'openai.mjs'), 'utf8').startsWith(lines)).toBe(true);
  });

  it.each(programs)('has the JavaScript program %s certified', async (name) => {
    const text = (INSTALLED[name] ?? []).reduce(
      (program, [from, to]) => program.replace(from, to),
      readFileSync(join(EXAMPLES, name), 'utf8'),
    );
    const args = ['--input-type=module', '--eval', onSources(text)];
    const stdout = await output(process.execPath, args, {});
    expect([await statusOf(name, stdout), stdout]).toEqual([200, expect.stringMatching(ANSWER)]);
  });

  it.each(pythonPrograms)('has the Python program %s certified', async (name) => {
    const [, python] = /^python: (\/.*)$/m.exec(execFileSync(process.execPath, [PYTHON], { encoding: 'utf8' })) ?? [];
    if (python === undefined) {
      process.stderr.write(`docs/clients.md: ${name} was not run: there is no Python with its packages\n`);
      return;
    }
    const stdout = await output(python, [join(EXAMPLES, name)], { PYTHONPATH: join(ROOT, 'clients/python') });
    expect([await statusOf(name, stdout), stdout]).toEqual([200, expect.stringMatching(ANSWER)]);
  });

  /** A program that imports the client from its sources. */
  const onSources = (program: string): string =>
    program.replaceAll(/'@cer\/client(?:\/([a-z-]+))?'/g, (_name, entry = 'index') => {
      const bundle = builtProgram(`packages/client/src/${entry}.ts`);
      return `'${pathToFileURL(bundle).href}'`;
    });

  /** The standard output of a program. */
  const output = async (program: string, args: readonly string[], more: NodeJS.ProcessEnv): Promise<string> => {
    const env = {
      PATH: process.env['PATH'],
      OPENAI_BASE_URL: `${models.url}/v1`,
      OPENAI_API_KEY: 'none',
      OPENAI_AGENTS_DISABLE_TRACING: '0',
      ANTHROPIC_BASE_URL: models.url,
      ANTHROPIC_API_KEY: 'none',
      GOOGLE_GEMINI_BASE_URL: models.url,
      GEMINI_API_KEY: 'none',
      OLLAMA_HOST: models.url,
      CER_NODE_URL: node.url,
      CER_API_KEY: key,
      CER_SPOOL_DIR: dir,
      PYTHONPYCACHEPREFIX: join(ROOT, '.data/python/cache'),
      ...more,
    };
    const { stdout } = await promisify(execFile)(program, args, { cwd: join(ROOT, 'packages/client'), env });
    return stdout;
  };

  /** The status of the lookup of the hash that a program wrote. */
  const statusOf = async (name: string, stdout: string): Promise<number> => {
    const isProject = /project|agents/.test(name);
    const path = isProject ? '/v1/project-bundle/public?project_hash=' : '/v1/cer/public?certificate_hash=';
    const hash = /^sha256:[0-9a-f]{64}$/m.exec(stdout)?.[0] ?? '';
    return (await fetch(`${node.url}${path}${encodeURIComponent(hash)}`)).status;
  };
});
